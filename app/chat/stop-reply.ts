import type { Ports } from '../ports.ts'

/**
 * Stops what answers a user's message: what nobody works on yet is closed at once, else its machine is told. Null when nothing
 * answers it.
 */
export async function stopReply(
  { conversations, events }: Pick<Ports, 'conversations' | 'events'>,
  userId: string,
  messageId: string,
  nowMs: number,
): Promise<{ promptId: string; state: 'closed' | 'stopping' } | null> {
  const stopped = await conversations.stop(userId, messageId, nowMs)
  if (stopped?.state === 'closed')
    await events.record(userId, 'prompt.closed', { promptId: stopped.promptId, outcome: 'stopped' })
  return stopped
}
