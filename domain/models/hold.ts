import { DomainError, invalid } from '../errors.ts'
import type { ModelCall } from './api-format.ts'
import { defaultOutputTokens, searchTokens } from './call-limits.ts'
import { costMicros, hourCacheFactor, noUsage, pricesFor } from './cost.ts'
import { isEmbedding, type PricedModel, priceKinds, type UnitPrices } from './model.ts'
import { callFor } from './translate/translate.ts'

export interface Quote {
  /** Most tokens of the input. */
  inputTokens: number
  /** Output limit per choice, before the hold clamps it. */
  outputTokens: number
  choices: number
  /** The highest prices that may apply to the call. */
  prices: UnitPrices
  searchMicros: number
  boundMicros: number
  minimumMicros: number
}

function obstacleOf(call: ModelCall, model: PricedModel): string | null {
  if (isEmbedding(model) !== (call.format === 'openai-embeddings')) {
    const makes = isEmbedding(model) ? 'embeddings and nothing else' : 'no embeddings'
    return `${model.id} makes ${makes}. Choose another model.`
  }
  if (call.images > 0 && model.imageTokens === null)
    return `${model.id} does not take images here. Leave them out, or choose another model.`
  if (call.files > 0 && model.contextTokens === null)
    return `${model.id} does not take files here. Leave them out, or choose another model.`
  if (call.searches > 0 && model.searchMicros === undefined)
    return `${model.id} does not search the web here. Leave out its tool, or choose another model.`
  return null
}

/** @throws validation when the model cannot take this request */
export function quoteOf(asked: ModelCall, model: PricedModel): Quote {
  const call = callFor(asked, model, asked.outputTokens ?? defaultOutputTokens)
  const obstacle = obstacleOf(call, model)
  if (obstacle) throw invalid('model', obstacle)
  const inputTokens = inputBound(call, model)
  const most = model.maxOutputTokens ?? Number.MAX_SAFE_INTEGER
  const outputTokens = Math.max(call.leastOutput, Math.min(call.outputTokens ?? defaultOutputTokens, most))
  const prices = withHourCache(call, dearer(model.prices, pricesFor(model, inputTokens)))
  const { choices } = call
  const searchMicros = call.searches * (model.searchMicros ?? 0)
  return {
    inputTokens,
    outputTokens,
    choices,
    prices,
    searchMicros,
    boundMicros: searchMicros + boundMicros(inputTokens, outputTokens, choices, prices),
    minimumMicros: searchMicros + boundMicros(inputTokens, call.leastOutput, choices, prices),
  }
}

/** Tokens that a format and tool definitions may add on the provider's side beyond their own bytes. */
const formatOverhead = 64
const toolOverhead = 1_024

/** A token has at least one byte, an image at most `imageTokens`. */
function inputBound(call: ModelCall, model: PricedModel): number {
  const { textBytes, images, files, tools, searches } = call
  const context = contextOf(call, model)
  // a page of a file may be any number of tokens, but no model reads more than its context
  if (files > 0) return context ?? 0
  const bound =
    textBytes +
    formatOverhead +
    images * (model.imageTokens ?? 0) +
    (tools ? toolOverhead : 0) +
    searches * searchTokens
  return Math.min(bound, context ?? bound)
}

const wideContextTokens = 1_000_000

/** Null without a bound: each text to embed may fill the context. */
function contextOf({ wideContext, format }: ModelCall, { contextTokens }: PricedModel): number | null {
  if (contextTokens === null || format === 'openai-embeddings') return null
  return wideContext ? Math.max(contextTokens, wideContextTokens) : contextTokens
}

const dearer = (a: UnitPrices, b: UnitPrices): UnitPrices => ({
  input: Math.max(a.input, b.input),
  cachedInput: Math.max(a.cachedInput, b.cachedInput),
  cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
  output: Math.max(a.output, b.output),
})

const withHourCache = ({ hourCache }: ModelCall, prices: UnitPrices): UnitPrices =>
  hourCache ? { ...prices, cacheWrite: Math.max(prices.cacheWrite, hourCacheFactor * prices.input) } : prices

const dearestInput = (prices: UnitPrices): number => Math.max(prices.input, prices.cachedInput, prices.cacheWrite)

/** Highest cost in µUSD, with input priced as its most expensive kind. */
export function boundMicros(inputTokens: number, outputTokens: number, choices: number, prices: UnitPrices): number {
  const input = dearestInput(prices)
  return costMicros({ ...noUsage, input: inputTokens, output: outputTokens * choices }, { ...prices, input })
}

/** The output limit per choice that the hold pays for in every case. */
export const clampOutput = (quote: Quote, heldMicros: number): number =>
  Math.min(quote.outputTokens, affordableOutput(quote, heldMicros))

/** Output tokens per choice that a hold buys after the input is paid; at least 0. */
function affordableOutput({ inputTokens, choices, prices, searchMicros }: Quote, heldMicros: number): number {
  if (prices.output === 0) return Number.MAX_SAFE_INTEGER
  const left = BigInt(heldMicros - searchMicros) * 1_000_000n - BigInt(inputTokens) * BigInt(dearestInput(prices))
  if (left <= 0n) return 0
  return Number(left / (BigInt(prices.output) * BigInt(choices)))
}

function quoteOrNull(call: ModelCall, model: PricedModel): Quote | null {
  try {
    return quoteOf(call, model)
  } catch (thrown) {
    if (thrown instanceof DomainError) return null
    throw thrown
  }
}

/** True when the first model's hold covers a fallback: it takes the whole call, and nothing costs more. */
export function isCoveredBy(first: Quote, call: ModelCall, fallback: PricedModel): boolean {
  const quote = quoteOrNull(call, fallback)
  // translated it would go without the searches that were asked for
  const lacksSearches = first.searchMicros > 0 && quote?.searchMicros === 0
  if (!quote || lacksSearches || quote.searchMicros > first.searchMicros) return false
  return quote.inputTokens <= first.inputTokens && priceKinds.every((kind) => quote.prices[kind] <= first.prices[kind])
}
