import type { Message } from '../../domain/chat/message.ts'
import { berth } from '../data/client.ts'
import { go } from '../router.tsx'
import { keep } from './browser-storage.ts'
import { attachAgain } from './drafts.ts'

/** Starts a conversation with the message in its text field. @throws BerthError */
export async function editElsewhere(accountId: string, { text, attachments = [] }: Message): Promise<void> {
  const { conversation } = await berth.createConversation({})
  keep(accountId, `draft ${conversation.id}`, text)
  attachAgain(conversation.id, attachments)
  go(`/?conversation=${conversation.id}`)
}
