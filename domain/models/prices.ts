import { type CatalogueModel, catalogue, modelId, stopUnread } from './catalogue.ts'
import type { DollarPrices, PricedModel, UnitPrices } from './model.ts'
import { priceList, priceListVersion } from './price-list.ts'

/** In basis points: 500 is 5 %. */
export const markupBasisPoints = 500

/** In µUSD per million tokens, without markup. They override the price list. */
export const ownPrices: Readonly<Record<string, UnitPrices>> = {
  'local/echo': { input: 500_000, cachedInput: 500_000, cacheWrite: 500_000, output: 1_500_000 },
  'local/echo-embedding': { input: 100_000, cachedInput: 100_000, cacheWrite: 100_000, output: 0 },
}

export const ownPriceVersion = 'berth-1'

type Prices = Pick<PricedModel, 'prices' | 'longContext' | 'priceVersion' | 'markup'>

/** From US dollars per million tokens to whole µUSD, with the markup, rounded up. */
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

/** Null for an unknown price: the model is not offered. */
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

/** The markup is on providers' prices, not on an operator's own. Null for a price of zero, unless declared free. */
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

/** US dollars for a web search, by the provider that makes it in one of its own formats. */
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

export const pricedModels: readonly PricedModel[] = catalogue.flatMap(priced)
