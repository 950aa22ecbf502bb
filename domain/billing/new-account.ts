import { formatMicros } from '../dollars.ts'
import { invalid } from '../errors.ts'
import { dayMs, iso } from '../time.ts'

/** An account is new for this long, ms, and may add this much a UTC day meanwhile, µUSD. */
const newForMs = 30 * dayMs
export const newAccountLimitMicros = 50_000_000

/** The day's limit in µUSD; null for an account that is no longer new. */
export const dayLimit = (createdAt: string, nowMs: number): number | null =>
  nowMs - Date.parse(createdAt) < newForMs ? newAccountLimitMicros : null

/** The UTC day that a payment counts for, such as `2026-11-21`. */
export const dayOf = (nowMs: number): string => iso(nowMs).slice(0, 10)

/** @throws validation when a new account would pass its day's limit */
export function checkDayLimit(createdAt: string, countedMicros: number, amountMicros: number, nowMs: number): void {
  const limit = dayLimit(createdAt, nowMs)
  if (limit === null || countedMicros + amountMicros <= limit) return
  const left = Math.max(0, limit - countedMicros)
  const rule = `A new account can add ${formatMicros(limit)} a day for its first 30 days`
  throw invalid('amountCents', `${rule}; ${left > 0 ? `${formatMicros(left)} is left today` : 'today’s is used up'}.`)
}
