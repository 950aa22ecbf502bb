import * as z from 'zod'
import { invalid } from '../errors.ts'
import { unsignedMicros } from '../money.ts'
import { dateOf, dayMs, minuteMs } from '../time.ts'
import type { SettlementReason, Transaction, UsageReceipt } from './ledger.ts'
import { maxUsageDays } from './usage-limits.ts'

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

export const usageDimensions = ['model', 'trigger', 'token', 'conversation'] as const
export type UsageDimension = (typeof usageDimensions)[number]

/** A UTC day's calls by `model|trigger|token|conversation`. Empty: the call had none. Missing or `?`: not recorded. */
export const usageDay = z.object({ day: z.iso.date(), groups: z.record(z.string(), usageSum) })

export type UsageDay = z.infer<typeof usageDay>

const unrecorded = '?'

export const groupKeyOf = ({ model, trigger, tokenId, promptId, conversation }: UsageReceipt): string =>
  [model, trigger, tokenId ?? '', conversation ?? (promptId ? unrecorded : '')].join('|')

/** The ids in a key, or `none`, `unknown`, `other`. */
export function readGroupKey(key: string): Record<UsageDimension, string> {
  const parts = key.split('|')
  const named = (i: number) => (parts[i] === undefined || parts[i] === unrecorded ? 'unknown' : parts[i] || 'none')
  return { model: named(0), trigger: named(1), token: named(2), conversation: named(3) }
}

/** Most groups stored for a day. Half keep their own key; the other half is for groups counted together. */
export const mostGroups = 200
const ownGroups = 100

/**
 * A day as stored for good: above the limit, the cheapest conversations are counted together as `other`, then tokens.
 */
export function foldDay({ day, groups }: UsageDay): UsageDay {
  const folded = (['conversation', 'token'] as const).reduce((kept, dimension) => foldGroups(kept, dimension), groups)
  return { day, groups: folded }
}

function foldGroups(groups: UsageDay['groups'], dimension: UsageDimension): UsageDay['groups'] {
  const sorted = Object.entries(groups).sort(([, a], [, b]) => b.amountMicros - a.amountMicros)
  if (sorted.length <= mostGroups) return groups
  const at = usageDimensions.indexOf(dimension)
  const kept: UsageDay['groups'] = {}
  for (const [i, [key, sum]] of sorted.entries()) {
    const name = i < ownGroups ? key : key.split('|').with(at, 'other').join('|')
    kept[name] = addUsage(kept[name] ?? noUsage, sum)
  }
  return kept
}

/** Reasons of lines without output: the hold expired or the call failed. */
const fruitless: readonly SettlementReason[] = ['expired', 'upstream-error']

/** False for a call without output. */
export const isCall = <T extends Transaction>(line: T): line is T & { receipt: UsageReceipt } =>
  line.type === 'usage' && line.receipt !== undefined && !fruitless.includes(line.receipt.settledBecause)

export const usageOfLine = ({ amountMicros, receipt }: Transaction & { receipt: UsageReceipt }): UsageSum => ({
  calls: 1,
  amountMicros: amountMicros === 0 ? 0 : -amountMicros,
  inputTokens: receipt.inputTokens + receipt.cachedInputTokens + receipt.cacheWriteTokens,
  outputTokens: receipt.outputTokens,
})

export const addUsage = (a: UsageSum, b: UsageSum): UsageSum => ({
  calls: a.calls + b.calls,
  amountMicros: a.amountMicros + b.amountMicros,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
})

export const spentIn = ({ groups }: UsageDay): number =>
  Object.values(groups).reduce((sum, { amountMicros }) => sum + amountMicros, 0)

/** Delay between the end of a day and its final sum: no function that began on the day still runs and writes lines. */
export const dayClosesMs = 30 * minuteMs

/** Days that a day's counts are kept besides its sum; the sweep that sums them may be this late. */
export const countsKeptDays = 10

export const dayRange = {
  from: z.iso.date().optional().meta({ description: 'First UTC day. Default: 30 days ago.', example: '2026-11-01' }),
  to: z.iso.date().optional().meta({ description: 'Last UTC day, included. Default: today.', example: '2026-11-30' }),
}

/** The range in ms since 1970, its end excluded. @throws validation */
export function readDayRange({ from, to }: { from?: string; to?: string }, nowMs: number) {
  const last = Date.parse(to ?? dateOf(nowMs))
  const first = from === undefined ? Math.max(last - 29 * dayMs, 0) : Date.parse(from)
  // Line ids begin with their time, which cannot be before 1970.
  for (const [field, ms] of Object.entries({ to: last, from: first }))
    if (ms < 0) throw invalid(field, 'give a day since 1970-01-01.')
  if (first > last) throw invalid('from', 'it is after "to". Swap them, or give a later "to".')
  if (last - first >= maxUsageDays * dayMs) throw invalid('from', `ask for at most ${maxUsageDays} days.`)
  return { fromMs: first, toMs: last + dayMs }
}
