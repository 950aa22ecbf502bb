import { calcPrice, type ModelPrice, type TieredPrices } from '@pydantic/genai-prices'
import {
  type CatalogueModel,
  markedUp,
  markupBasisPoints,
  modelId,
  ownPrices,
  ownPriceVersion,
} from '../../domain/models/catalogue.ts'
import type { PricedModel, UnitPrices } from '../../domain/models/model.ts'

/** The price list that ships with this version; never updated at run time, so a receipt can be checked. */
export const priceListVersion = 'genai-prices-0.1.8'

type Prices = Pick<PricedModel, 'prices' | 'longContext' | 'priceVersion' | 'markup'>

/** What a model costs at `at`; null when its price is unknown, zero, or of a shape that cannot be bounded. */
export function pricesOf(one: CatalogueModel, at: Date): Prices | null {
  const own = ownPrices[modelId(one)]
  if (own) return { prices: own, priceVersion: ownPriceVersion, markup: 0 }
  const found = calcPrice({}, one.upstreamModel, { providerId: one.provider, timestamp: at })
  // the list also matches by family; only the very model's own price counts
  if (found?.model.id !== one.upstreamModel) return null
  const aboveTokens = tierStart(found.model_price)
  if (aboveTokens === undefined) return null
  const prices = unitPrices(found.model_price, 'base')
  const long = aboveTokens === null ? null : unitPrices(found.model_price, 'tier')
  if (!prices || (aboveTokens !== null && !long)) return null
  return {
    prices,
    priceVersion: priceListVersion,
    markup: markupBasisPoints,
    ...(aboveTokens !== null && long && { longContext: { aboveTokens, prices: long } }),
  }
}

const kinds = ['input_mtok', 'cache_read_mtok', 'cache_write_mtok', 'output_mtok'] as const

/** Where the long-context price begins: null without one, undefined when there are several. */
function tierStart(price: ModelPrice): number | null | undefined {
  const starts = new Set<number>()
  for (const kind of kinds) {
    const value = price[kind]
    if (typeof value === 'object') for (const tier of value.tiers) starts.add(tier.start)
  }
  if (starts.size > 1) return undefined
  return [...starts][0] ?? null
}

function unitPrices(price: ModelPrice, part: 'base' | 'tier'): UnitPrices | null {
  const read = (kind: (typeof kinds)[number]): number | null => {
    const value = price[kind]
    if (value === undefined) return null
    return markedUp(typeof value === 'number' ? value : dollarsOf(value, part), markupBasisPoints)
  }
  const input = read('input_mtok')
  const output = read('output_mtok')
  if (!input || !output) return null
  return { input, output, cachedInput: read('cache_read_mtok') ?? input, cacheWrite: read('cache_write_mtok') ?? input }
}

const dollarsOf = (value: TieredPrices, part: 'base' | 'tier'): number =>
  part === 'tier' ? (value.tiers[0]?.price ?? value.base) : value.base
