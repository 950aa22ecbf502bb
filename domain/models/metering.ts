import type { PricedModel, UnitPrices } from './model.ts'

/** Tokens of one call, each counted once: `input` is without the cached and cache-write part. */
export interface Usage {
  input: number
  cachedInput: number
  cacheWrite: number
  /** All output, reasoning included. */
  output: number
  /** The part of `output` that was reasoning. */
  reasoning: number
}

export const noUsage: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 }

/** Output tokens a call may make when its caller sets no limit and the model has none smaller. */
export const defaultOutputTokens = 8_192

/** The true price of a call in µUSD, rounded up once at the end. Prices are µUSD per million tokens. */
export function costMicros(usage: Usage, prices: UnitPrices): number {
  const sum =
    BigInt(usage.input) * BigInt(prices.input) +
    BigInt(usage.cachedInput) * BigInt(prices.cachedInput) +
    BigInt(usage.cacheWrite) * BigInt(prices.cacheWrite) +
    BigInt(usage.output) * BigInt(prices.output)
  return Number((sum + 999_999n) / 1_000_000n)
}

/** All tokens the provider read, however they are priced. */
export const inputOf = (usage: Usage): number => usage.input + usage.cachedInput + usage.cacheWrite

/** The prices a call of this many input tokens has: long-context models have a second list. */
export const pricesFor = (model: Pick<PricedModel, 'prices' | 'longContext'>, inputTokens: number): UnitPrices =>
  model.longContext && inputTokens > model.longContext.aboveTokens ? model.longContext.prices : model.prices

/** Tokens tool definitions may add on the provider's side beyond their own bytes. */
const toolOverhead = 1_024

/** Tokens an input can be at most: a token is at least one byte, an image at most so many; plus what the format adds. */
export const inputBound = (bytes: number, images = 0, imageTokens = 0, tools = false): number =>
  bytes + 64 + images * imageTokens + (tools ? toolOverhead : 0)

/** The dearest price an input token may turn out to have. */
const dearestInput = (prices: UnitPrices): number => Math.max(prices.input, prices.cachedInput, prices.cacheWrite)

/** µUSD the call can cost at most; input is priced as the dearest kind it may turn out to be. */
export function boundMicros(inputTokens: number, outputTokens: number, choices: number, prices: UnitPrices): number {
  const input = dearestInput(prices)
  return costMicros({ ...noUsage, input: inputTokens, output: outputTokens * choices }, { ...prices, input })
}

/** Output tokens for each choice that a hold still buys after the input is paid; at least 0. */
export function affordableOutput(holdMicros: number, inputTokens: number, choices: number, prices: UnitPrices): number {
  if (prices.output === 0) return Number.MAX_SAFE_INTEGER
  const left = BigInt(holdMicros) * 1_000_000n - BigInt(inputTokens) * BigInt(dearestInput(prices))
  if (left <= 0n) return 0
  return Number(left / (BigInt(prices.output) * BigInt(choices)))
}

/** Roughly the tokens in this many bytes of text, for calls whose provider never said. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / 4)
