import type { Chat } from '../../domain/channels/inbound.ts'
import type { LinkRecord } from '../../domain/channels/link.ts'
import type { ChannelLinks } from '../ports/channels.ts'
import { lost, retry } from '../retry.ts'

/**
 * Moves a group's link to the new id that its platform reports; safe to repeat.
 * @returns the link in the new chat; null when there is none to move, or the new chat has its own
 */
export async function moveLink(
  { channelLinks }: { channelLinks: ChannelLinks },
  from: Pick<Chat, 'platform' | 'id'>,
  to: string,
): Promise<LinkRecord | null> {
  const moved = await retry(async () => {
    const link = await channelLinks.find(from)
    if (link?.chat.id !== from.id) return link?.chat.id === to ? link : null
    if (link.kind !== 'group') return null
    const there = await channelLinks.find({ platform: from.platform, id: to })
    // This link may have moved between the two reads.
    if (there) return there.id === link.id ? there : null
    return (await channelLinks.move(link, to)) ?? lost
  })
  if (moved === lost) throw new Error('a link changes all the time; try again later')
  return moved
}
