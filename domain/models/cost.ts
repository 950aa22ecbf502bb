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

/** What caching a token for an hour costs, in times its input price: so with every provider that offers it. */
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

/** Roughly the tokens in this many bytes of text, for calls whose provider never said; docs/proxy.md says how roughly. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / 4)
