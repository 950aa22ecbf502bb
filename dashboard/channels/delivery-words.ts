/** The state of a delivery, in words. */

import type { ChannelDelivery } from '../../clients/typescript/operations.ts'
import { secondMs } from '../../domain/time.ts'
import { channelTexts } from '../texts/channels.ts'

type State = ChannelDelivery['state']

const underWay: readonly State[] = ['received', 'open', 'sending']

/** A state that this version of the page does not know is shown by its name. */
export function deliveryState({ state, failures }: Pick<ChannelDelivery, 'state' | 'failures'>): string {
  const words = channelTexts.deliveries
  return underWay.includes(state) && failures > 0 ? words.triedAgain : (words.states[state] ?? state)
}

/** How soon to look again, ms: soon while something that is new or was tried again is under way. */
export function nextLookMs(deliveries: readonly ChannelDelivery[], retriedMs: number, nowMs: number): number {
  const since = (ms: number) => nowMs - ms < 120 * secondMs
  const isUnderWay = deliveries.some(
    ({ state, at }) => underWay.includes(state) && (since(Date.parse(at)) || since(retriedMs)),
  )
  return isUnderWay ? 3 * secondMs : 30 * secondMs
}

/** Those read before with those read now, newest first; of one that is in both the later reading counts. */
export function mergeDeliveries(
  before: readonly ChannelDelivery[],
  now: readonly ChannelDelivery[],
): ChannelDelivery[] {
  const byId = new Map([...before, ...now].map((delivery) => [delivery.id, delivery]))
  return [...byId.values()].sort((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id))
}
