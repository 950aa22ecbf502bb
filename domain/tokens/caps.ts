import { iso } from '../time.ts'

/** `day` is a UTC day, `month` a calendar month (UTC). */
export const capPeriods = ['total', 'day', 'month'] as const
export type CapPeriod = (typeof capPeriods)[number]

/** Spent and held, µUSD. */
export type TokenSpent = Record<CapPeriod, number>

export const nothingSpent: TokenSpent = { total: 0, day: 0, month: 0 }

/** µUSD; null where there is no cap. */
export type TokenCaps = Record<CapPeriod, number | null>

export const noCaps: TokenCaps = { total: null, day: null, month: null }

export const isCapped = (caps: TokenCaps): boolean => capPeriods.some((period) => caps[period] !== null)

export const tighter = (one: TokenCaps, other: TokenCaps): TokenCaps => {
  const lower = (period: CapPeriod) => {
    const set = [one[period], other[period]].filter((cap) => cap !== null)
    return set.length > 0 ? Math.min(...set) : null
  }
  return { total: lower('total'), day: lower('day'), month: lower('month') }
}

/** The day or month in which a call began: `2026-11-20`, `2026-11`; for all time `total`. */
export const periodAt = (period: CapPeriod, ms: number): string =>
  period === 'total' ? 'total' : iso(ms).slice(0, period === 'day' ? 10 : 7)
