import { readDeliveryId } from '../../domain/channels/delivery.ts'
import { codeAlphabet, codeLength } from '../../domain/channels/link.ts'
import { codeMs } from '../../domain/channels/link-limits.ts'
import { type PlatformPlace, platforms } from '../../domain/channels/platform.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Ids } from '../ports/basics.ts'
import type { ChannelLinks, InboundDeliveries, OutgoingMessages } from '../ports/channels.ts'
import type { Part } from '../ports/part.ts'
import { type ChatPlatforms, platformOf } from './platforms.ts'

/** The platforms on which this stage has an account. */
export async function platformsHere(deps: ChatPlatforms): Promise<PlatformPlace[]> {
  const all = await Promise.all(
    platforms.map(async (platform) => ({ platform, place: await platformOf(deps, { platform }).about() })),
  )
  return all.flatMap(({ platform, place }) => (place ? [{ platform, ...place }] : []))
}

export async function newLinkCode(
  { channelLinks, ids }: { channelLinks: ChannelLinks; ids: Ids },
  userId: string,
  nowMs: number,
  ...also: Part[]
): Promise<{ code: string; untilMs: number }> {
  const code = ids.random(codeAlphabet, codeLength)
  const untilMs = nowMs + codeMs
  await channelLinks.addCode(userId, code, untilMs, ...also)
  return { code, untilMs }
}

/** @throws not-found, conflict when it has not failed */
export async function replayDelivery(
  deps: { inboundDeliveries: InboundDeliveries; outgoingMessages: OutgoingMessages },
  userId: string,
  id: string,
  nowMs: number,
  ...also: Part[]
): Promise<void> {
  const named = readDeliveryId(id)
  if (!named) throw notFound('delivery')
  if ('out' in named) {
    if (!(await deps.outgoingMessages.find(userId, named.out))) throw notFound('delivery')
    if (!(await deps.outgoingMessages.retry(userId, named.out, nowMs, ...also))) throw notFailed()
    return
  }
  const found = await deps.inboundDeliveries.find(named.in.chat, named.in.id)
  if (found?.userId !== userId) throw notFound('delivery')
  if (!(await deps.inboundDeliveries.retry(userId, found, nowMs, ...also))) throw notFailed()
}

const notFailed = () => conflict('This delivery has not failed. Read the deliveries again.')
