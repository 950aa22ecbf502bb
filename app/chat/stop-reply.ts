import type { Conversations, Events } from '../ports/chat.ts'

/**
 * Stops the answer to a user's message: closes an unleased prompt at once, otherwise notifies its machine. Null when
 * the message has no open prompt.
 */
export async function stopReply(
  { conversations, events }: { conversations: Conversations; events: Events },
  userId: string,
  messageId: string,
  nowMs: number,
): Promise<{ promptId: string; state: 'closed' | 'stopping' } | null> {
  const stopped = await conversations.stop(userId, messageId, nowMs)
  if (stopped?.state === 'closed')
    await events.record(userId, 'prompt.closed', { promptId: stopped.promptId, outcome: 'stopped' })
  return stopped
}
