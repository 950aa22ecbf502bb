import * as z from 'zod'
import type { ReportedUsage } from './cost.ts'
import { isObject, tokenCount } from './json.ts'

export const limit = z.int().min(1).max(10_000_000).nullish()

export const openaiFields = {
  model: z.string().max(200).nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(z.looseObject({})).nullish(),
}

/** Fields that never reach the provider as sent: ours to write, or without a meaning here. */
export const openaiOurs = [
  'model',
  'store',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'service_tier',
] as const

/** The same counts under the names of both formats. */
const names = { input: ['prompt', 'input'], output: ['completion', 'output'] } as const

/** Input includes the cached part, output the reasoning. A missing count is the rest of the total. */
export function readUsage(reported: unknown): ReportedUsage | null {
  if (!isObject(reported)) return null
  const side = (kind: keyof typeof names) => firstCount(names[kind].map((name) => reported[`${name}_tokens`]))
  const detail = (kind: keyof typeof names, name: string) =>
    names[kind].map((whole) => reported[`${whole}_tokens_details`]).map((details) => isObject(details) && details[name])
  const [read, written] = [side('input') ?? cacheSum(reported), side('output')]
  const counts = {
    allInput: read ?? restOf(reported.total_tokens, written),
    output: written ?? restOf(reported.total_tokens, read),
    cachedInput: greatest([
      ...detail('input', 'cached_tokens'),
      reported.prompt_cache_hit_tokens,
      reported.cached_tokens,
    ]),
    cacheWrite: greatest([...detail('input', 'cache_write_tokens'), reported.prompt_cache_write_tokens]),
    reasoning: greatest(detail('output', 'reasoning_tokens')),
  }
  const known = Object.fromEntries(Object.entries(counts).filter(([, tokens]) => tokens !== null))
  return Object.keys(known).length === 0 ? null : known
}

export const isWhole = (usage: ReportedUsage | null): boolean =>
  usage?.allInput !== undefined && usage.output !== undefined

const countsIn = (values: readonly unknown[]): number[] => values.flatMap((value) => tokenCount(value) ?? [])

const firstCount = (values: readonly unknown[]): number | null => countsIn(values)[0] ?? null

const greatest = (values: readonly unknown[]): number | null => {
  const counts = countsIn(values)
  return counts.length === 0 ? null : Math.max(...counts)
}

/** DeepSeek's two halves of the input. */
function cacheSum({
  prompt_cache_hit_tokens: hit,
  prompt_cache_miss_tokens: miss,
}: Record<string, unknown>): number | null {
  const halves = countsIn([hit, miss])
  return halves.length === 2 ? halves.reduce((sum, half) => sum + half) : null
}

function restOf(total: unknown, other: number | null): number | null {
  const all = tokenCount(total)
  return all === null || other === null || other > all ? null : all - other
}
