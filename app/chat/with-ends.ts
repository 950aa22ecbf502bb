import type { Message } from '../../domain/chat/message.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import type { Conversations } from '../ports/chat.ts'

/** Says of the user's messages that have no reply among these how they ended. */
export async function withEnds(
  conversations: Pick<Conversations, 'unanswered'>,
  userId: string,
  messages: readonly Message[],
): Promise<Message[]> {
  const answered = new Set(messages.map(({ inReplyTo }) => inReplyTo))
  const asked = messages.filter(({ id, role }) => role === 'user' && !answered.has(id))
  const ends = await conversations.unanswered(
    userId,
    asked.map(({ id }) => promptIdOf(id)),
  )
  return messages.map((message) => {
    const outcome = ends.get(promptIdOf(message.id))
    return outcome ? { ...message, outcome } : message
  })
}
