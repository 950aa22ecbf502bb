import type { PricedModel, UnitPrices } from './model.ts'

/** Tokens of one call, each counted once: `input` is without the cached and cache-write part. */
export interface Usage {
  input: number
  cachedInput: number
  cacheWrite: number
  /** The part of `cacheWrite` that is kept for an hour. */
  cacheWriteHour: number
  /** All output, reasoning included. */
  output: number
  /** The part of `output` that was reasoning. */
  reasoning: number
  /** Searches of the web that the provider made, which are no tokens. */
  searches: number
}

export const noUsage: Usage = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  output: 0,
  reasoning: 0,
  searches: 0,
}

/** Counts as a provider reports them: each kind only where it names it. */
export interface ReportedUsage extends Partial<Usage> {
  /** All input, what is cached included, of a provider that counts so. */
  allInput?: number
}

const kinds = [
  'allInput',
  'input',
  'cachedInput',
  'cacheWrite',
  'cacheWriteHour',
  'output',
  'reasoning',
  'searches',
] as const

/** The greatest count of each kind: the counts of a call only grow, so a smaller one is older, or no count at all. */
export function greatestOf(reports: readonly ReportedUsage[]): ReportedUsage {
  const greatest: ReportedUsage = {}
  for (const kind of kinds) {
    const counts = reports.flatMap((report) => report[kind] ?? [])
    if (counts.length > 0) greatest[kind] = Math.max(...counts)
  }
  return greatest
}

/** The same with each token counted once. */
export function splitInput({ allInput, ...usage }: ReportedUsage): Partial<Usage> {
  const { output = 0, reasoning } = usage
  const split = reasoning === undefined ? usage : { ...usage, reasoning: Math.min(reasoning, output) }
  if (allInput === undefined) return split
  const cachedInput = Math.min(usage.cachedInput ?? 0, allInput)
  const cacheWrite = Math.min(usage.cacheWrite ?? 0, allInput - cachedInput)
  return { ...split, input: allInput - cachedInput - cacheWrite, cachedInput, cacheWrite }
}

/** Whether a report says how much was read: output without any input is no count of it. */
export const knowsInput = (usage: Partial<Usage>): boolean =>
  inputTokensOf({ ...noUsage, ...usage }) > 0 || (usage.input !== undefined && !usage.output)

/**
 * The price of caching a token for an hour, as a multiple of its input price, the same at every provider that offers
 * it.
 */
export const hourCacheFactor = 2

/** The true price of a call in µUSD, rounded up once at the end. Prices are µUSD per million tokens. */
export function costMicros(usage: Usage, prices: UnitPrices): number {
  const forHour = Math.min(usage.cacheWriteHour, usage.cacheWrite)
  const sum =
    BigInt(usage.input) * BigInt(prices.input) +
    BigInt(usage.cachedInput) * BigInt(prices.cachedInput) +
    BigInt(usage.cacheWrite - forHour) * BigInt(prices.cacheWrite) +
    BigInt(forHour) * BigInt(hourCacheFactor * prices.input) +
    BigInt(usage.output) * BigInt(prices.output)
  return Number((sum + 999_999n) / 1_000_000n)
}

/** All tokens the provider read, however they are priced. */
export const inputTokensOf = (usage: Usage): number => usage.input + usage.cachedInput + usage.cacheWrite

/** The prices a call of this many input tokens has: long-context models have a second list. */
export const pricesFor = (model: Pick<PricedModel, 'prices' | 'longContext'>, inputTokens: number): UnitPrices =>
  model.longContext && inputTokens > model.longContext.aboveTokens ? model.longContext.prices : model.prices

/**
 * Roughly the tokens in this many bytes of text, for calls whose provider never said; docs/proxy.md says how roughly.
 */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / 4)
