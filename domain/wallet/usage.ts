import * as z from 'zod'
import { invalid } from '../errors.ts'
import { unsignedMicros } from '../money.ts'
import { dateOf, dayMs } from '../time.ts'
import type { Transaction, UsageReceipt } from './ledger.ts'

/** What a group of calls came to. */
export const usageSum = z
  .object({
    calls: z.int().min(0),
    amountMicros: unsignedMicros.meta({ description: 'Charged, in µUSD.' }),
    inputTokens: z.int().min(0),
    outputTokens: z.int().min(0),
  })
  .meta({ id: 'UsageSum' })

export type UsageSum = z.infer<typeof usageSum>

export const noUsage: UsageSum = { calls: 0, amountMicros: 0, inputTokens: 0, outputTokens: 0 }

/** A UTC day's calls by model and trigger (`model|trigger`). */
export const usageDay = z.object({ day: z.iso.date(), groups: z.record(z.string(), usageSum) })

export type UsageDay = z.infer<typeof usageDay>

export const usageBy = z.enum(['day', 'model', 'trigger'])

export const usageRow = usageSum.extend({ key: z.string().meta({ example: '2026-11-20' }) }).meta({ id: 'UsageRow' })

export type UsageRow = z.infer<typeof usageRow>

/** What a line with its receipt came to. */
export const usageOfLine = (
  { amountMicros }: Pick<Transaction, 'amountMicros'>,
  { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens }: UsageReceipt,
): UsageSum => ({
  calls: 1,
  amountMicros: -amountMicros,
  inputTokens: inputTokens + cachedInputTokens + cacheWriteTokens,
  outputTokens,
})

export const addUsage = (a: UsageSum, b: UsageSum): UsageSum => ({
  calls: a.calls + b.calls,
  amountMicros: a.amountMicros + b.amountMicros,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
})

/** The days as rows of one kind, in order of their key. */
export function groupUsage(days: readonly UsageDay[], by: z.infer<typeof usageBy>): UsageRow[] {
  const rows = new Map<string, UsageSum>()
  for (const { day, groups } of days) {
    for (const [key, sum] of Object.entries(groups)) {
      const [model = '', trigger = ''] = key.split('|')
      const name = by === 'day' ? day : by === 'model' ? model : trigger
      rows.set(name, addUsage(rows.get(name) ?? noUsage, sum))
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, sum]) => ({ key, ...sum }))
}

export const spentIn = ({ groups }: UsageDay): number =>
  Object.values(groups).reduce((sum, { amountMicros }) => sum + amountMicros, 0)

const mostDays = 366

/** A range of UTC days, both included. */
export const dayRange = {
  from: z.iso.date().optional().meta({ description: 'First UTC day; 30 days ago unless said.', example: '2026-11-01' }),
  to: z.iso
    .date()
    .optional()
    .meta({ description: 'Last UTC day, included; today unless said.', example: '2026-11-30' }),
}

/** The range in ms since 1970, its end excluded. @throws validation */
export function readDayRange({ from, to }: { from?: string; to?: string }, nowMs: number) {
  const last = Date.parse(to ?? dateOf(nowMs))
  const first = from === undefined ? Math.max(last - 29 * dayMs, 0) : Date.parse(from)
  // Lines are found by ids that begin with their time, which has no place for what lies before 1970.
  for (const [field, ms] of Object.entries({ to: last, from: first }))
    if (ms < 0) throw invalid(field, 'give a day since 1970-01-01.')
  if (first > last) throw invalid('from', 'it lies after "to"; swap them, or give a later "to".')
  if (last - first >= mostDays * dayMs) throw invalid('from', `ask for ${mostDays} days at most.`)
  return { fromMs: first, toMs: last + dayMs }
}
