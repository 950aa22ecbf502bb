import * as z from 'zod'
import { formatMicros } from '../dollars.ts'
import { invalid } from '../errors.ts'
import { centsToMicros } from '../money.ts'
import { dayMs } from '../time.ts'

const smallestTopUpCents = 500

export const topUpCents = z
  .int()
  .min(smallestTopUpCents)
  .max(50_000)
  .meta({ description: 'US cents: 500 is $5.00.', example: 1000 })

/** An account is new for this time, ms, and may add this much in a UTC day, µUSD. */
const newForMs = 30 * dayMs
export const newAccountLimitMicros = 50_000_000

const smallestMicros = centsToMicros(smallestTopUpCents)

/** µUSD; null for an account that is no longer new. */
export const dayLimit = (createdAt: string, nowMs: number): number | null =>
  nowMs - Date.parse(createdAt) < newForMs ? newAccountLimitMicros : null

/** @throws validation when a new account would exceed its day's limit */
export function checkDayLimit(createdAt: string, countedMicros: number, amountMicros: number, nowMs: number): void {
  const limit = dayLimit(createdAt, nowMs)
  if (limit === null || countedMicros + amountMicros <= limit) return
  const left = Math.max(0, limit - countedMicros)
  const rule = `A new account can add ${formatMicros(limit)} a day for its first 30 days`
  const today = left >= smallestMicros ? `ask for ${formatMicros(left)} at most today` : 'today’s is used up'
  throw invalid('amountCents', `${rule}; ${today}, or come back after 00:00 UTC.`)
}
