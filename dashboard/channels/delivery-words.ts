import type { ChannelDelivery } from '../../clients/typescript/operations.ts'
import { secondMs } from '../../domain/time.ts'
import { channelTexts } from '../texts/channels.ts'

type State = ChannelDelivery['state']

const underWay: readonly State[] = ['received', 'open', 'sending']

/** A state of a later version is shown by its name. */
export function deliveryState({ state, failures }: Pick<ChannelDelivery, 'state' | 'failures'>): string {
  const words = channelTexts.deliveries
  return underWay.includes(state) && failures > 0 ? words.triedAgain : (words.states[state] ?? state)
}

/** Delay before the next read, ms: short after new or retried deliveries. */
export function nextLookMs(deliveries: readonly ChannelDelivery[], retriedMs: number, nowMs: number): number {
  const since = (ms: number) => nowMs - ms < 120 * secondMs
  const isUnderWay = deliveries.some(
    ({ state, at }) => underWay.includes(state) && (since(Date.parse(at)) || since(retriedMs)),
  )
  return isUnderWay ? 3 * secondMs : 30 * secondMs
}

/** Merges by id, newest first; the later reading wins. */
export function mergeDeliveries(
  before: readonly ChannelDelivery[],
  now: readonly ChannelDelivery[],
): ChannelDelivery[] {
  const byId = new Map([...before, ...now].map((delivery) => [delivery.id, delivery]))
  return [...byId.values()].sort((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id))
}
