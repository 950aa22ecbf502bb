import { chatKey } from '../../domain/channels/inbound.ts'
import { lines } from '../../domain/channels/lines.ts'
import type { LinkRecord } from '../../domain/channels/link.ts'
import { messageIdOf } from '../../domain/chat/names.ts'
import { stopReply } from '../chat/stop-reply.ts'
import type { Ports } from '../ports.ts'

/** Stops what is being answered in a chat. @returns what the chat is told */
export async function stopIn(
  deps: Pick<Ports, 'outgoingMessages' | 'conversations' | 'events'>,
  { userId, chat }: LinkRecord,
  nowMs: number,
): Promise<string> {
  const growing = await deps.outgoingMessages.openReplies(userId)
  const here = growing.filter((reply) => chatKey(reply.chat) === chatKey(chat))
  const stopped = await Promise.all(here.map(({ key }) => stopReply(deps, userId, messageIdOf(key), nowMs)))
  return stopped.some((each) => each !== null) ? lines.stopping : lines.nothingToStop
}
