import {
  type CatalogueModel,
  catalogue,
  markedUp,
  markupBasisPoints,
  modelId,
  ownPrices,
  ownPriceVersion,
} from './catalogue.ts'
import type { PricedModel, UnitPrices } from './model.ts'
import { priceList, priceListVersion } from './price-list.ts'

/** US dollars per million tokens, as a provider publishes them. */
export interface ListPrice {
  input: number
  cachedInput: number
  cacheWrite: number
  output: number
  /** Prices of a whole call whose input is longer than `aboveTokens`. */
  long?: { aboveTokens: number; input: number; cachedInput: number; cacheWrite: number; output: number }
}

export type Prices = Pick<PricedModel, 'prices' | 'longContext' | 'priceVersion' | 'markup'>

const unitPrices = (price: Omit<ListPrice, 'long'>): UnitPrices => ({
  input: markedUp(price.input, markupBasisPoints),
  cachedInput: markedUp(price.cachedInput, markupBasisPoints),
  cacheWrite: markedUp(price.cacheWrite, markupBasisPoints),
  output: markedUp(price.output, markupBasisPoints),
})

/** What a model costs; null when its price is not known, and then it is not offered. */
export function pricesOf(id: string): Prices | null {
  const own = Object.hasOwn(ownPrices, id) ? ownPrices[id] : undefined
  if (own) return { prices: own, priceVersion: ownPriceVersion, markup: 0 }
  const found = Object.hasOwn(priceList, id) ? priceList[id] : undefined
  if (!found) return null
  const { long } = found
  return {
    prices: unitPrices(found),
    priceVersion: priceListVersion,
    markup: markupBasisPoints,
    ...(long && { longContext: { aboveTokens: long.aboveTokens, prices: unitPrices(long) } }),
  }
}

/**
 * What a model costs that an operator listed with its prices. The markup is on providers' prices, not on an operator's
 * own. A price of zero is taken for unknown unless the model is said to be free; null then.
 */
export function ownPriced(
  price: { input: number; output: number; cachedInput?: number; cacheWrite?: number } | null,
  free: boolean,
  marked: boolean,
): Prices | null {
  const nothing = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 }
  if (free) return { prices: nothing, priceVersion: 'free', markup: 0 }
  if (!price || price.input === 0 || price.output === 0) return null
  const { input, output, cachedInput = input, cacheWrite = input } = price
  const markup = marked ? markupBasisPoints : 0
  const unit = (dollars: number) => markedUp(dollars, markup)
  const prices = {
    input: unit(input),
    cachedInput: unit(cachedInput),
    cacheWrite: unit(cacheWrite),
    output: unit(output),
  }
  return { prices, priceVersion: 'operator', markup }
}

const priced = (one: CatalogueModel): PricedModel[] => {
  const { pricedAs: _, pricedBy: __, ...rest } = one
  const prices = pricesOf(modelId(one))
  return prices ? [{ ...rest, formats: [...one.formats], id: modelId(one), ...prices }] : []
}

/** Every model with a price. */
export const pricedModels: readonly PricedModel[] = catalogue.flatMap(priced)
