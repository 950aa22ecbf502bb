import { chatKey } from '../../domain/channels/inbound.ts'
import { lines } from '../../domain/channels/lines.ts'
import { chatsOf, type LinkRecord } from '../../domain/channels/link.ts'
import { messageIdOf } from '../../domain/chat/names.ts'
import { stopReply } from '../chat/stop-reply.ts'
import type { OutgoingMessages } from '../ports/channels.ts'
import type { Conversations, Events } from '../ports/chat.ts'

/** Stops open replies in a chat. @returns the message for the chat */
export async function stopIn(
  deps: { outgoingMessages: OutgoingMessages; conversations: Conversations; events: Events },
  link: LinkRecord,
  nowMs: number,
): Promise<string> {
  const { userId } = link
  const growing = await deps.outgoingMessages.openReplies(userId)
  const names = chatsOf(link).map(chatKey)
  const here = growing.filter((reply) => names.includes(chatKey(reply.chat)))
  const stopped = await Promise.all(here.map(({ key }) => stopReply(deps, userId, messageIdOf(key), nowMs)))
  return stopped.some((each) => each !== null) ? lines.stopping : lines.nothingToStop
}
