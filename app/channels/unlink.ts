import type { LinkRecord } from '../../domain/channels/link.ts'
import type { Commit } from '../outbox/commit.ts'
import type { ChannelLinks } from '../ports/channels.ts'
import type { Events } from '../ports/chat.ts'

/** Null when the user has no link of this id. */
export async function unlink(
  { channelLinks, events }: { channelLinks: ChannelLinks; events: Events },
  userId: string,
  id: string,
  commit: Commit,
): Promise<LinkRecord | null> {
  const gone = await commit(id, () => channelLinks.remove(userId, id))
  if (gone) await events.record(userId, 'channel.changed', { linkId: id })
  return gone
}
