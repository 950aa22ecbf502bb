import type { PricedModel, UnitPrices } from './model.ts'

/** Tokens of one call, each counted once: `input` excludes cached and cache-write tokens. */
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

/** Only the kinds that the provider reports. */
export interface ReportedUsage extends Partial<Usage> {
  /** All input including the cached part, of a provider that counts so. */
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

/** The greatest count of each kind: counts only grow, so a smaller one is older or wrong. */
export function greatestOf(reports: readonly ReportedUsage[]): ReportedUsage {
  const greatest: ReportedUsage = {}
  for (const kind of kinds) {
    const counts = reports.flatMap((report) => report[kind] ?? [])
    if (counts.length > 0) greatest[kind] = Math.max(...counts)
  }
  return greatest
}

export function splitInput({ allInput, ...usage }: ReportedUsage): Partial<Usage> {
  const { output = 0, reasoning } = usage
  const split = reasoning === undefined ? usage : { ...usage, reasoning: Math.min(reasoning, output) }
  if (allInput === undefined) return split
  const cachedInput = Math.min(usage.cachedInput ?? 0, allInput)
  const cacheWrite = Math.min(usage.cacheWrite ?? 0, allInput - cachedInput)
  return { ...split, input: allInput - cachedInput - cacheWrite, cachedInput, cacheWrite }
}

/** False for output without any input: such a report does not count the input. */
export const knowsInput = (usage: Partial<Usage>): boolean =>
  inputTokensOf({ ...noUsage, ...usage }) > 0 || (usage.input !== undefined && !usage.output)

/** Price of caching a token for an hour, as a multiple of its input price, at every provider that offers it. */
export const hourCacheFactor = 2

/** µUSD, rounded up once at the end. Prices are µUSD per million tokens. */
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

/** All tokens the provider read, at whatever price. */
export const inputTokensOf = (usage: Usage): number => usage.input + usage.cachedInput + usage.cacheWrite

/** Long-context models have a second price list. */
export const pricesFor = (model: Pick<PricedModel, 'prices' | 'longContext'>, inputTokens: number): UnitPrices =>
  model.longContext && inputTokens > model.longContext.aboveTokens ? model.longContext.prices : model.prices

/** A rough estimate for calls without a report; docs/proxy.md states how rough. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / 4)
