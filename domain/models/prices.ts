import { type CatalogueModel, catalogue, modelId, stopUnread } from './catalogue.ts'
import type { DollarPrices, PricedModel, UnitPrices } from './model.ts'
import { priceList, priceListVersion } from './price-list.ts'

/** Markup on providers' prices, in basis points: 500 is 5 %. */
export const markupBasisPoints = 500

/** Models with a price of our own, in µUSD per million tokens, no markup on top. They win over the price list. */
export const ownPrices: Readonly<Record<string, UnitPrices>> = {
  'local/echo': { input: 500_000, cachedInput: 500_000, cacheWrite: 500_000, output: 1_500_000 },
  'local/echo-embedding': { input: 100_000, cachedInput: 100_000, cacheWrite: 100_000, output: 0 },
}

export const ownPriceVersion = 'berth-1'

export type Prices = Pick<PricedModel, 'prices' | 'longContext' | 'priceVersion' | 'markup'>

/** A provider's price in US dollars per million tokens, with the markup, in whole µUSD rounded up. */
export function markedUp(dollarsPerMillion: number, basisPoints: number): number {
  const nanos = BigInt(Math.round(dollarsPerMillion * 1e9))
  const scaled = nanos * BigInt(10_000 + basisPoints)
  const unit = 1_000n * 10_000n
  return Number((scaled + unit - 1n) / unit)
}

const allMarkedUp = (dollars: DollarPrices, basisPoints: number): UnitPrices => ({
  input: markedUp(dollars.input, basisPoints),
  cachedInput: markedUp(dollars.cachedInput, basisPoints),
  cacheWrite: markedUp(dollars.cacheWrite, basisPoints),
  output: markedUp(dollars.output, basisPoints),
})

/** A model's price; null if it is unknown, in which case the model is not offered. */
export function pricesOf(id: string): Prices | null {
  const own = Object.hasOwn(ownPrices, id) ? ownPrices[id] : undefined
  if (own) return { prices: own, priceVersion: ownPriceVersion, markup: 0 }
  const listed = Object.hasOwn(priceList, id) ? priceList[id] : undefined
  if (!listed) return null
  const { long } = listed
  const prices = (dollars: DollarPrices) => allMarkedUp(dollars, markupBasisPoints)
  return {
    prices: prices(listed),
    priceVersion: priceListVersion,
    markup: markupBasisPoints,
    ...(long && { longContext: { aboveTokens: long.aboveTokens, prices: prices(long) } }),
  }
}

/**
 * A model's price from the dollar prices in an operator's list. The markup is on providers' prices, not on an
 * operator's own. A price of zero is taken for unknown unless the model is said to be free; null then.
 */
export function operatorPrices(
  dollars: (Pick<DollarPrices, 'input'> & Partial<DollarPrices>) | null,
  free: boolean,
  ofProvider: boolean,
  embeds = false,
): Prices | null {
  const nothing = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 }
  if (free) return { prices: nothing, priceVersion: 'free', markup: 0 }
  if (!dollars || dollars.input === 0) return null
  const { input, cachedInput = input, cacheWrite = input } = dollars
  const output = embeds ? 0 : dollars.output
  if (output === undefined || (output === 0 && !embeds)) return null
  const markup = ofProvider ? markupBasisPoints : 0
  return { prices: allMarkedUp({ input, cachedInput, cacheWrite, output }, markup), priceVersion: 'operator', markup }
}

/** US dollars for a search of the web, by the provider that makes it in one of its own formats. */
const searchDollars: Readonly<Record<string, number>> = { anthropic: 0.01, openai: 0.01 }

const searchPriceOf = (provider: string): Pick<PricedModel, 'searchMicros'> => {
  const dollars = searchDollars[provider]
  return dollars === undefined ? {} : { searchMicros: markedUp(dollars, markupBasisPoints) }
}

const priced = (model: CatalogueModel): PricedModel[] => {
  const { pricedBy: _, allSeen, ...rest } = model
  const id = modelId(model)
  const prices = pricesOf(id)
  const known = {
    ...rest,
    formats: [...model.formats],
    id,
    stopsUnread: allSeen === true && stopUnread.has(model.provider),
  }
  return prices ? [{ ...known, ...searchPriceOf(model.provider), ...prices }] : []
}

/** Every model with a price. */
export const pricedModels: readonly PricedModel[] = catalogue.flatMap(priced)
