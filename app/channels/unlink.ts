import type { LinkRecord } from '../../domain/channels/link.ts'
import type { OutboxFor } from '../outbox/outbox.ts'
import type { ChannelLinks } from '../ports/channels.ts'
import type { Events } from '../ports/chat.ts'

/** Null when the user has no link of this id. */
export async function unlink(
  { channelLinks, events }: { channelLinks: ChannelLinks; events: Events },
  userId: string,
  id: string,
  outboxFor: OutboxFor,
): Promise<LinkRecord | null> {
  const gone = await channelLinks.remove(userId, id, outboxFor(id))
  if (gone) await events.record(userId, 'channel.changed', { linkId: id })
  return gone
}
