import type { Conversation } from '../../domain/chat/conversation.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { secondMs } from '../../domain/time.ts'
import type { OutboxFor } from '../outbox/outbox.ts'
import type { Clock } from '../ports/basics.ts'
import type { ChannelLinks } from '../ports/channels.ts'
import type { Events } from '../ports/chat.ts'
import { type ErasePorts, eraseConversation } from './erase-conversation.ts'

/** The request erases for this long, ms; the outbox does the rest. */
const ownTimeMs = 3 * secondMs

/**
 * One write hides all of the conversation and stores the intent to erase it.
 * @throws not-found, also for a deleted one; conflict for the conversation of a linked chat
 */
export async function deleteConversation(
  deps: ErasePorts & { channelLinks: ChannelLinks; events: Events; clock: Clock },
  userId: string,
  id: string,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<Conversation> {
  const [found, links] = await Promise.all([deps.conversations.find(userId, id), deps.channelLinks.list(userId)])
  if (!found) throw notFound('conversation')
  const link = links.find(({ conversation }) => conversation === id)
  if (link)
    throw conflict(
      `The chat “${link.chat.title ?? link.person}” writes in this conversation. Unlink the chat first, then delete the conversation.`,
    )
  const outbox = outboxFor(id, [{ intent: { kind: 'erase-conversation', conversation: id } }])
  const told = deps.events.entry(userId, 'conversation.deleted', { conversationId: id })
  if (!(await deps.conversations.remove(userId, id, outbox, told))) throw notFound('conversation')
  await outbox.flush()
  const lateMs = deps.clock.now() + ownTimeMs
  await eraseConversation(deps, userId, id, nowMs, () => deps.clock.now() > lateMs).catch(() => false)
  return found
}
