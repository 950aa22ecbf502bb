import * as z from 'zod'
import { unsignedMicros } from '../money.ts'
import { dateOf, dayMs, iso } from '../time.ts'
import { type AutoTopupRecord, topUpLeftMicros } from './auto-topup.ts'
import { spentOf } from './limits.ts'
import type { WalletState } from './state.ts'
import { spentIn, type UsageDay } from './usage.ts'

export const rateDays = 7

export const forecast = z
  .object({
    month: z.string().meta({ description: 'The calendar month (UTC).', example: '2026-11' }),
    spentMicros: unsignedMicros.meta({ description: 'Charged this month so far, in µUSD.' }),
    rateMicros: unsignedMicros.meta({ description: 'The cost of a day at the current rate, in µUSD.' }),
    rateDays: z.int().min(0).max(rateDays).meta({
      description:
        'The number of past days in the mean, counted from the first day with spending. 0: only today is known.',
    }),
    monthEndMicros: unsignedMicros.meta({ description: 'The month’s total if every remaining day costs the same.' }),
    emptyOn: z.iso.date().nullable().meta({
      description: 'The day of this month on which the balance runs out at this rate; null if it lasts.',
      example: '2026-11-27',
    }),
    missingMicros: unsignedMicros.meta({ description: 'The balance’s shortfall for the rest of the month, in µUSD.' }),
    mostMicros: unsignedMicros.meta({
      description: 'The maximum total of the month under the daily limit, in µUSD.',
    }),
    isCapped: z.boolean().meta({ description: 'Whether a day at the current rate reaches the daily limit.' }),
    autoTopup: z
      .object({
        leftMicros: unsignedMicros.meta({ description: 'The amount it may still charge in this month, in µUSD.' }),
        suffices: z.boolean().meta({ description: 'Whether this covers the shortfall.' }),
      })
      .optional()
      .meta({ description: 'Absent while automatic top-up is off.' }),
  })
  .meta({ id: 'WalletForecast' })
export type Forecast = z.infer<typeof forecast>

/** The days that a forecast needs, ms since 1970, the end excluded. */
export function forecastRange(nowMs: number): { fromMs: number; toMs: number } {
  const today = Math.floor(nowMs / dayMs) * dayMs
  return { fromMs: Math.min(monthStart(nowMs), today - rateDays * dayMs), toMs: today + dayMs }
}

/** Assumes that days continue like the last ones. */
export function forecastMonth(
  days: readonly UsageDay[],
  state: WalletState,
  auto: AutoTopupRecord | null,
  nowMs: number,
): Forecast {
  const spentOn = new Map(days.map((day) => [day.day, spentIn(day)]))
  const month = iso(nowMs).slice(0, 7)
  const spentMicros = [...spentOn].reduce((sum, [day, micros]) => sum + (day.startsWith(month) ? micros : 0), 0)
  const rate = rateOf(spentOn, nowMs)
  const rateMicros = Math.min(rate.micros, state.caps.day)
  const today = Math.max(spentOn.get(dateOf(nowMs)) ?? 0, spentOf(state, 'day', nowMs))
  const left = [Math.max(0, rateMicros - today), ...daysAfter(nowMs).map(() => rateMicros)]
  const ahead = left.reduce((sum, micros) => sum + micros, 0)
  const missingMicros = Math.max(0, ahead - state.available)
  const mayCharge = auto?.settings.enabled ? topUpLeftMicros(auto, nowMs) : null
  return {
    month,
    spentMicros,
    rateMicros,
    rateDays: rate.days,
    monthEndMicros: spentMicros + ahead,
    emptyOn: emptyDay(left, state.available, nowMs),
    missingMicros,
    mostMicros: spentMicros + Math.max(0, state.caps.day - today) + daysAfter(nowMs).length * state.caps.day,
    isCapped: rate.micros > 0 && rate.micros >= state.caps.day,
    ...(mayCharge !== null && { autoTopup: { leftMicros: mayCharge, suffices: mayCharge >= missingMicros } }),
  }
}

/** µUSD a day: the mean of the last full days since the first with spending; without any, today's spending. */
function rateOf(spentOn: ReadonlyMap<string, number>, nowMs: number): { micros: number; days: number } {
  const last = Array.from({ length: rateDays }, (_, i) => spentOn.get(dateOf(nowMs - (rateDays - i) * dayMs)) ?? 0)
  const first = last.findIndex((micros) => micros > 0)
  if (first < 0) return { micros: spentOn.get(dateOf(nowMs)) ?? 0, days: 0 }
  const counted = last.slice(first)
  return { micros: Math.ceil(counted.reduce((sum, micros) => sum + micros, 0) / counted.length), days: counted.length }
}

const monthStart = (nowMs: number): number => Date.parse(`${iso(nowMs).slice(0, 7)}-01`)

function daysAfter(nowMs: number): string[] {
  const now = new Date(nowMs)
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
  const next = (Math.floor(nowMs / dayMs) + 1) * dayMs
  return Array.from({ length: Math.floor((end - next) / dayMs) }, (_, i) => dateOf(next + i * dayMs))
}

function emptyDay(left: readonly number[], balanceMicros: number, nowMs: number): string | null {
  let balance = balanceMicros
  for (const [i, micros] of left.entries()) {
    balance -= micros
    if (balance < 0) return dateOf(nowMs + i * dayMs)
  }
  return null
}
