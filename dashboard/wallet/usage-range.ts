/** Days and steps of the spending chart. All are UTC days, such as `2026-11-20`. */

import { dayMs } from '../../domain/time.ts'
import { maxUsageDays } from '../../domain/wallet/usage-limits.ts'

export const ranges = ['week', 'days30', 'month', 'lastMonth', 'days90', 'year', 'custom'] as const
export type Range = (typeof ranges)[number]

export interface Days {
  from: string
  to: string
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const addDays = (day: string, count: number): string => dayOf(Date.parse(day) + count * dayMs)

/** A custom range is `given`; default: the last thirty days. */
export function daysOf(range: Range, today: string, custom: Partial<Days> = {}): Days {
  const firstOfMonth = `${today.slice(0, 7)}-01`
  switch (range) {
    case 'week':
      return { from: addDays(today, -6), to: today }
    case 'month':
      return { from: firstOfMonth, to: today }
    case 'lastMonth': {
      const to = addDays(firstOfMonth, -1)
      return { from: `${to.slice(0, 7)}-01`, to }
    }
    case 'days90':
      return { from: addDays(today, -89), to: today }
    case 'year':
      return { from: addDays(today, -363), to: today }
    default:
      return { from: custom.from || addDays(today, -29), to: custom.to || today }
  }
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text

/** Whether the service answers for these days. */
export const isRange = ({ from, to }: Days): boolean =>
  isDay(from) && isDay(to) && from <= to && from >= '1970-01-01' && countDays({ from, to }) <= maxUsageDays

const countDays = ({ from, to }: Days): number => (Date.parse(to) - Date.parse(from)) / dayMs + 1

interface Sum {
  calls: number
  amountMicros: number
}

interface Bar extends Sum {
  day: string
  parts: (Sum & { key: string })[]
}

/** A bar of the chart: a day, or a week of a longer range. */
export interface Bin extends Sum {
  from: string
  to: string
  parts: ReadonlyMap<string, Sum>
}

/** Longer ranges are drawn by week. */
const mostBars = 92

/** One bin for each day or week of a range, including those without spending. */
export function binsOf(bars: readonly Bar[], range: Days): Bin[] {
  const days = countDays(range)
  const step = days > mostBars ? 7 : 1
  const bins = Array.from({ length: Math.ceil(days / step) }, (_, i): Bin & { parts: Map<string, Sum> } => {
    const from = addDays(range.from, i * step)
    const to = addDays(from, step - 1)
    return { from, to: to > range.to ? range.to : to, calls: 0, amountMicros: 0, parts: new Map() }
  })
  for (const { day, parts, calls, amountMicros } of bars) {
    const bin = bins[Math.floor((Date.parse(day) - Date.parse(range.from)) / dayMs / step)]
    if (!bin) continue
    add(bin, { calls, amountMicros })
    for (const part of parts) {
      const sum = bin.parts.get(part.key) ?? { calls: 0, amountMicros: 0 }
      bin.parts.set(part.key, sum)
      add(sum, part)
    }
  }
  return bins
}

function add(to: Sum, { calls, amountMicros }: Sum): void {
  to.calls += calls
  to.amountMicros += amountMicros
}

/** A round amount at or above the highest bin, for the top of the chart, µUSD. */
export function topOf(bins: readonly Bin[]): number {
  const most = Math.max(1, ...bins.map(({ amountMicros }) => amountMicros))
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 1.5, 2, 3, 5, 7.5].find((times) => times * power >= most) ?? 10) * power
}
