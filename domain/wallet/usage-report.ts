import * as z from 'zod'
import { unsignedMicros } from '../money.ts'
import {
  addUsage,
  noUsage,
  readGroupKey,
  type UsageDay,
  type UsageDimension,
  type UsageSum,
  usageDimensions,
  usageSum,
} from './usage.ts'

export const usageBy = z.enum(['day', ...usageDimensions])
type UsageBy = z.infer<typeof usageBy>

const usageRow = usageSum
  .extend({
    key: z.string().meta({
      description:
        'A day, model, trigger, id of a token or conversation (`main` is the first). `none`: the calls had none; `unknown`: it ' +
        'was not recorded then; `other`: the rest together.',
      example: '2026-11-20',
    }),
  })
  .meta({ id: 'UsageRow' })

const usageBar = z
  .object({
    day: z.iso.date().meta({ example: '2026-11-20' }),
    calls: z.int().min(0),
    amountMicros: unsignedMicros.meta({ description: 'Charged on that day, in µUSD.' }),
    parts: z
      .array(
        z.object({
          key: z.string().meta({ example: 'anthropic/claude-sonnet-4-5' }),
          calls: z.int().min(0),
          amountMicros: unsignedMicros,
        }),
      )
      .meta({
        description: 'The same, split by the dimension of the rows, most expensive first; empty with `by=day`.',
      }),
  })
  .meta({ id: 'UsageBar' })
type UsageBar = z.infer<typeof usageBar>

const filter = (what: string, example: string) =>
  z
    .string()
    .max(200)
    .optional()
    .meta({ description: `Only calls ${what}, by a key of such a row.`, example })

export const usageFilters = {
  model: filter('of this model', 'anthropic/claude-sonnet-4-5'),
  trigger: filter('that this started', 'schedule'),
  token: filter('by this token', 'tok_3QZ6q5b1mS0x5rjS8uWb1A'),
  conversation: filter('of this conversation', 'main'),
}
type UsageFilters = { readonly [dimension in UsageDimension]?: string | undefined }

const keys = z.array(z.string().meta({ example: 'none' }))

export const usageReport = z
  .object({
    usage: z.array(usageRow).meta({ description: 'Sorted by key.' }),
    days: z.array(usageBar).meta({ description: 'Days on which anything was charged, oldest first.' }),
    total: usageSum,
    seen: z.object({ model: keys, trigger: keys, token: keys, conversation: keys }).meta({
      description: 'The possible filters: all values in the range’s calls, most expensive first.',
    }),
  })
  .meta({ id: 'UsageReport' })
type UsageReport = z.infer<typeof usageReport>

const mostRows = 500
/** Parts with a name of their own in a day's bar; the rest is `other`. */
const mostParts = 7

interface Call extends Record<UsageDimension, string> {
  day: string
  sum: UsageSum
}

export function reportUsage(days: readonly UsageDay[], by: UsageBy, filters: UsageFilters): UsageReport {
  const all = days.flatMap(({ day, groups }) =>
    Object.entries(groups).map(([key, sum]): Call => ({ day, sum, ...readGroupKey(key) })),
  )
  const calls = all.filter((call) =>
    usageDimensions.every((of) => filters[of] === undefined || filters[of] === call[of]),
  )
  const rows = sumsBy(calls, (call) => call[by])
  const own = by === 'day' ? null : new Set(dearest(rows).slice(0, rows.size > mostParts + 1 ? mostParts : undefined))
  const keysOf = (of: UsageDimension) => dearest(sumsBy(all, (call) => call[of])).slice(0, mostRows)
  return {
    usage: sorted(rows.size <= mostRows ? rows : foldRows(rows)).map(([key, sum]) => ({ key, ...sum })),
    days: sorted(sumsBy(calls, ({ day }) => day)).map(([day, { calls: count, amountMicros }]) => ({
      day,
      calls: count,
      amountMicros,
      parts: own
        ? partsOf(
            calls.filter((call) => call.day === day),
            by,
            own,
          )
        : [],
    })),
    total: [...rows.values()].reduce(addUsage, noUsage),
    seen: {
      model: keysOf('model'),
      trigger: keysOf('trigger'),
      token: keysOf('token'),
      conversation: keysOf('conversation'),
    },
  }
}

function sumsBy(calls: readonly Call[], keyOf: (call: Call) => string): Map<string, UsageSum> {
  const sums = new Map<string, UsageSum>()
  for (const call of calls) sums.set(keyOf(call), addUsage(sums.get(keyOf(call)) ?? noUsage, call.sum))
  return sums
}

const sorted = (sums: ReadonlyMap<string, UsageSum>) => [...sums].sort(([a], [b]) => (a < b ? -1 : 1))

const dearest = (sums: ReadonlyMap<string, UsageSum>): string[] =>
  sorted(sums)
    .sort(([, a], [, b]) => b.amountMicros - a.amountMicros)
    .map(([key]) => key)

function foldRows(rows: ReadonlyMap<string, UsageSum>): Map<string, UsageSum> {
  const own = new Set(dearest(rows).slice(0, mostRows - 1))
  const folded = new Map<string, UsageSum>()
  for (const [key, sum] of rows) {
    const name = own.has(key) ? key : 'other'
    folded.set(name, addUsage(folded.get(name) ?? noUsage, sum))
  }
  return folded
}

/** A day's parts in the order of the range, `other` last. */
function partsOf(calls: readonly Call[], by: UsageBy, own: ReadonlySet<string>): UsageBar['parts'] {
  const sums = sumsBy(calls, (call) => (own.has(call[by]) ? call[by] : 'other'))
  return [...new Set([...own, 'other'])].flatMap((key) => {
    const sum = sums.get(key)
    return sum ? [{ key, calls: sum.calls, amountMicros: sum.amountMicros }] : []
  })
}
