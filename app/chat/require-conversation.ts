import { mainConversation } from '../../domain/chat/names.ts'
import { notFound } from '../../domain/errors.ts'
import type { Conversations } from '../ports/chat.ts'

/** @throws not-found */
export async function requireConversation(
  { conversations }: { conversations: Pick<Conversations, 'find'> },
  userId: string,
  id: string,
): Promise<void> {
  if (id !== mainConversation && !(await conversations.find(userId, id))) throw notFound('conversation')
}
