import * as z from 'zod'
import type { Usage } from './cost.ts'
import { isObject, tokenCount } from './json.ts'

/** What OpenAI's two formats have in common. */

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

/** OpenAI counts cached input inside the input, and reasoning inside the output. How long what was cached is kept it does not say. */
export function readUsage(reported: unknown, input: string, output: string): Omit<Usage, 'cacheWriteHour'> | null {
  if (!isObject(reported)) return null
  const read = tokenCount(reported[`${input}_tokens`])
  const written = tokenCount(reported[`${output}_tokens`])
  if (read === null || written === null) return null
  const part = (whole: string, kind: string): number => {
    const details = reported[`${whole}_tokens_details`]
    return (isObject(details) ? tokenCount(details[`${kind}_tokens`]) : null) ?? 0
  }
  const cachedInput = Math.min(part(input, 'cached'), read)
  const cacheWrite = Math.min(part(input, 'cache_write'), read - cachedInput)
  const reasoning = Math.min(part(output, 'reasoning'), written)
  return { input: read - cachedInput - cacheWrite, cachedInput, cacheWrite, output: written, reasoning, searches: 0 }
}
