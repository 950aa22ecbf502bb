import { newInboundDelivery } from '../../domain/channels/delivery.ts'
import type { Happening, Inbound } from '../../domain/channels/inbound.ts'
import { unauthorized } from '../../domain/errors.ts'
import { bucketOf } from '../../domain/rates/rate-limits.ts'
import type { Ids } from '../ports/basics.ts'
import type { ChannelLinks, InboundDeliveries } from '../ports/channels.ts'
import type { ChatPlatform } from '../ports/chat-platform.ts'
import type { Rates } from '../ports/rates.ts'

type ReceivePorts = { channelLinks: ChannelLinks; rates: Rates; inboundDeliveries: InboundDeliveries; ids: Ids }

/** Header names are lower case. */
export interface WebhookRequest {
  headers: Readonly<Record<string, string>>
  rawBody: string
}

/**
 * Stores each event once, and answers the platform before anything else is looked up or done. An event costs two store
 * requests in a direct chat and three in a group, four during a flood.
 * @returns the body for the platform @throws unauthorized for any other sender
 */
export async function receiveWebhook(
  deps: ReceivePorts,
  platform: Pick<ChatPlatform, 'read'>,
  request: WebhookRequest,
  nowMs: number,
): Promise<Readonly<Record<string, unknown>>> {
  const reading = await platform.read(request, nowMs)
  if (reading.kind === 'refused') throw unauthorized(reading.why)
  for (const each of reading.inbound) await keep(deps, each, nowMs)
  return reading.answer ?? {}
}

async function keep(deps: ReceivePorts, inbound: Inbound, nowMs: number): Promise<void> {
  // Two bots could answer each other forever, and a deleted message asks nothing.
  if (inbound.person.bot || inbound.what.kind === 'deleted') return
  const flooded = await floodedBy(deps, inbound, nowMs)
  const kept: Inbound = flooded === null ? inbound : floodOf(inbound, flooded, nowMs)
  await deps.inboundDeliveries.add(newInboundDelivery(kept, deps.ids.next('msg'), nowMs))
}

/** One person, or all people of a group together; null without a flood. */
async function floodedBy(
  { rates, channelLinks }: ReceivePorts,
  inbound: Inbound,
  nowMs: number,
): Promise<'person' | 'group' | null> {
  const { chat, person, what } = inbound
  const { platform } = chat
  // The platform itself reports that a chat is gone, and always under the same id.
  const isOfPlatform = what.kind === 'removed'
  if (isOfPlatform || isControl(what)) {
    const owner = isOfPlatform
      ? ({ by: 'chat-control', platform, id: chat.id } as const)
      : ({ by: 'person-control', platform, id: person.id } as const)
    // A flooding person can still stop the agent and answer its questions.
    return (await rates.admit(owner, 'chat', nowMs)).admitted ? null : 'person'
  }
  // Counted over all chats: a person who can open new chats must not get a new window with each.
  if (!(await rates.admit({ by: 'person', platform, id: person.id }, 'chat', nowMs)).admitted) return 'person'
  if (chat.kind === 'direct' || (await rates.admit({ by: 'group', platform, id: chat.id }, 'group', nowMs)).admitted)
    return null
  const link = await channelLinks.find(chat)
  return link?.personId === person.id ? null : 'group'
}

const isControl = ({ kind }: Happening): boolean => kind === 'command' || kind === 'button'

/** One record for a whole flood, per window, for each person and for the group. */
const floodOf = (inbound: Inbound, source: 'person' | 'group', nowMs: number): Inbound => ({
  ...inbound,
  id: `flood-${Math.floor(bucketOf(nowMs) / 6)}#${source === 'person' ? inbound.person.id : ''}`,
  what: { kind: 'flood' },
})
