import { chatKey } from '../../domain/channels/inbound.ts'
import { lines } from '../../domain/channels/lines.ts'
import type { LinkRecord } from '../../domain/channels/link.ts'
import type { Ports } from '../ports.ts'

/** Stops what is being answered in a chat. @returns what the chat is told */
export async function stopIn(
  { outgoingMessages, conversations, events }: Pick<Ports, 'outgoingMessages' | 'conversations' | 'events'>,
  { userId, chat }: LinkRecord,
  nowMs: number,
): Promise<string> {
  const growing = await outgoingMessages.openReplies(userId)
  const here = growing.filter((reply) => chatKey(reply.chat) === chatKey(chat))
  const stopped = await Promise.all(
    here.map(async ({ key: promptId }) => {
      const found = await conversations.stop(userId, promptId.replace('prm_', 'msg_'), nowMs)
      if (found?.state === 'closed') await events.record(userId, 'prompt.closed', { promptId, outcome: 'stopped' })
      return found !== null
    }),
  )
  return stopped.includes(true) ? lines.stopping : lines.nothingToStop
}
