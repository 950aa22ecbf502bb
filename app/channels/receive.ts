import { type InboundDelivery, newInboundDelivery } from '../../domain/channels/delivery.ts'
import { chatKey, type Inbound } from '../../domain/channels/inbound.ts'
import { unauthorized } from '../../domain/errors.ts'
import { bucketOf } from '../../domain/tokens/rate-limits.ts'
import type { Basics, Ports } from '../ports.ts'
import type { ChatPlatform } from './platform-port.ts'

type ReceivePorts = Pick<Ports, 'rates' | 'inboundDeliveries'> & Pick<Basics, 'ids'>

/** A request to a platform’s webhook. Header names are lower case. */
export interface WebhookRequest {
  headers: Readonly<Record<string, string>>
  rawBody: string
}

/**
 * Keeps what a platform tells, each thing once however often it comes, and answers the platform. Nothing is looked up or done before
 * that: whose chat it is shows when it is seen through. Two requests to the store for each thing that happened.
 * @returns the body for the platform @throws unauthorized for everybody else
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

async function keep({ rates, inboundDeliveries, ids }: ReceivePorts, inbound: Inbound, nowMs: number): Promise<void> {
  // Two programs that answer each other would never end, and who takes a word back asks nothing.
  if (inbound.person.bot || inbound.what.kind === 'deleted') return
  const { admitted } = await rates.admit(`chat#${chatKey(inbound.chat)}`, 'chat', nowMs)
  const kept: InboundDelivery = newInboundDelivery(admitted ? inbound : floodOf(inbound, nowMs), ids.next('msg'), nowMs)
  await inboundDeliveries.add(kept)
}

/** What is kept instead of all that is too much, once for as long as it may last. */
const floodOf = (inbound: Inbound, nowMs: number): Inbound => ({
  ...inbound,
  id: `${inbound.id.replace(/[^#]*$/, '')}flood-${Math.floor(bucketOf(nowMs) / 6)}`,
  what: { kind: 'flood' },
})
