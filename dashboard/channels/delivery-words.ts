/** What has become of a delivery, in words. */
import type { ChannelDelivery } from '../../clients/typescript/operations.ts'

const secondMs = 1_000

type State = ChannelDelivery['state']

const settled: Partial<Record<State, string>> = { done: 'Taken', ignored: 'Ignored', sent: 'Sent', failed: 'Failed' }
const underWay: Partial<Record<State, string>> = {
  received: 'Being taken',
  open: 'Being written',
  sending: 'Being sent',
}

/** A state that this version of the page does not know is shown by its name. */
export function deliveryState({ state, failures }: Pick<ChannelDelivery, 'state' | 'failures'>): string {
  const now = underWay[state]
  return now === undefined ? (settled[state] ?? state) : failures > 0 ? 'Being tried again' : now
}

/** How soon to look again, ms: soon while something that is new or was tried again is under way. */
export function nextLookMs(deliveries: readonly ChannelDelivery[], retriedMs: number, nowMs: number): number {
  const since = (ms: number) => nowMs - ms < 120 * secondMs
  const isUnderWay = deliveries.some(
    ({ state, at }) => underWay[state] !== undefined && (since(Date.parse(at)) || since(retriedMs)),
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
