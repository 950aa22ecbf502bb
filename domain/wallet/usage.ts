import * as z from 'zod'
import { unsignedMicros } from '../money.ts'
import { iso } from '../time.ts'
import type { Transaction } from './wallet.ts'

/** What a group of calls came to. */
export const usageSum = z.object({
  calls: z.int().min(0),
  amountMicros: unsignedMicros.meta({ description: 'Charged, in µUSD.' }),
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
})
export type UsageSum = z.infer<typeof usageSum>

const noUse: UsageSum = { calls: 0, amountMicros: 0, inputTokens: 0, outputTokens: 0 }

/** A UTC day's calls by model and trigger (`model|trigger`). */
export const usageDay = z.object({ day: z.iso.date(), groups: z.record(z.string(), usageSum) })
export type UsageDay = z.infer<typeof usageDay>

export const usageBy = z.enum(['day', 'model', 'trigger'])
export const usageRow = usageSum.extend({ key: z.string().meta({ example: '2026-11-20' }) }).meta({ id: 'UsageRow' })
export type UsageRow = z.infer<typeof usageRow>

/** `2026-11-20`, of an instant. */
export const dateOf = (ms: number): string => iso(ms).slice(0, 10)

const plus = (a: UsageSum, b: UsageSum): UsageSum => ({
  calls: a.calls + b.calls,
  amountMicros: a.amountMicros + b.amountMicros,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
})

/** Adds up the usage lines of one day or more. A hold that expired was no call. */
export async function sumDays(lines: AsyncIterable<Transaction>): Promise<UsageDay[]> {
  const days = new Map<string, UsageDay>()
  for await (const { type, amountMicros, at, receipt } of lines) {
    if (type !== 'usage' || !receipt || receipt.settledBecause === 'expired') continue
    const day = at.slice(0, 10)
    const one = days.get(day) ?? { day, groups: {} }
    const key = `${receipt.model}|${receipt.trigger}`
    one.groups[key] = plus(one.groups[key] ?? noUse, {
      calls: 1,
      amountMicros: -amountMicros,
      inputTokens: receipt.inputTokens + receipt.cachedInputTokens + receipt.cacheWriteTokens,
      outputTokens: receipt.outputTokens,
    })
    days.set(day, one)
  }
  return [...days.values()]
}

/** The days as rows of one kind, in order of their key. */
export function groupUsage(days: readonly UsageDay[], by: z.infer<typeof usageBy>): UsageRow[] {
  const rows = new Map<string, UsageSum>()
  for (const { day, groups } of days) {
    for (const [key, sum] of Object.entries(groups)) {
      const [model = '', trigger = ''] = key.split('|')
      const name = by === 'day' ? day : by === 'model' ? model : trigger
      rows.set(name, plus(rows.get(name) ?? noUse, sum))
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, sum]) => ({ key, ...sum }))
}

export const spentIn = ({ groups }: UsageDay): number =>
  Object.values(groups).reduce((sum, { amountMicros }) => sum + amountMicros, 0)
