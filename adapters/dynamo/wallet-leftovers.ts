import { minuteMs } from '../../domain/time.ts'
import { bucketSeconds, staleBuckets } from '../../domain/tokens/window.ts'
import { dayOf } from '../../domain/wallet/limits.ts'
import type { Item } from './item.ts'
import { leftName, toState } from './wallet-item.ts'

/** Days before the oldest open one whose counters each hold clears on its way. */
export const clearedDays = 3

/** How far a function's clock may be behind another's, ms. */
const skewMs = 5 * minuteMs

/** The oldest day that a call may still count on: right after midnight, by some clock, it is yesterday. */
export const openDay = (nowMs: number): number => dayOf(nowMs - skewMs)

/** Calls remembered at once; beyond, the next hold sees what they leave. */
const most = 1_000

const remembered = new Map<string, string[]>()

/** Attributes of a wallet that nobody reads again, and that no hold names on its way: those of callers who come rarely. */
function leftoversIn(item: Item, nowMs: number): string[] {
  const counts = staleBuckets(Object.keys(item), nowMs - bucketSeconds * 1000)
  const old = openDay(nowMs) - clearedDays
  const days = Object.keys(toState(item).left).filter((key) => Number.parseInt(key, 10) < old)
  return [...counts, ...days.map(leftName)].slice(0, 60)
}

/** Remembers what a hold saw, so that the call's own settlement clears it for nothing. */
export function noteLeftovers(callId: string, item: Item, nowMs: number): void {
  const names = leftoversIn(item, nowMs)
  if (names.length > 0 && remembered.size < most) remembered.set(callId, names)
}

/** What the end of a call removes besides its hold, as it follows in an update: `, #a, #b`. */
export const leftoversOf = (callId: string): string =>
  (remembered.get(callId) ?? []).map((name) => `, #${name}`).join('')

export const forgetLeftovers = (callId: string): boolean => remembered.delete(callId)
