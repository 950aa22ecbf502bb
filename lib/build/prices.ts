import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  calcPrice,
  findProvider,
  type ModelInfo,
  type ModelPrice,
  type PriceOptions,
  type Provider,
} from '@pydantic/genai-prices'
import { type CatalogueModel, modelId, otherModels } from '../../domain/models/catalogue.ts'
import { hourCacheFactor } from '../../domain/models/cost.ts'
import { type Family, familyOf, leftOut, replacementOf } from '../../domain/models/families.ts'
import type { DollarPrices, ListPrice } from '../../domain/models/model.ts'

/** The generated file with the service's prices. The vendor's whole list would be in every bundle. */
export const priceListFile = fileURLToPath(new URL('../../domain/models/price-list.ts', import.meta.url))

const { version } = JSON.parse(
  readFileSync(new URL('../../node_modules/@pydantic/genai-prices/package.json', import.meta.url), 'utf8'),
)

/** The price library's models, sorted. */
interface SortedModels {
  /** By model id. */
  offered: Record<string, ListPrice>
  /** Ids of models that the library marks as retired. */
  retired: string[]
  /** The reason by model id. */
  leftOut: Record<string, string>
}

const vendors = ['anthropic', 'openai']

export function sortModels(at: Date, vendor: Provider): SortedModels {
  const sorted: SortedModels = { offered: {}, retired: [], leftOut: {} }
  const newestFirst = [...vendor.models].sort((a, b) => b.id.localeCompare(a.id, 'en', { numeric: true }))
  for (const model of newestFirst) {
    const id = `${vendor.id}/${model.id}`
    const family = familyOf(vendor.id, model.id)
    const price = priceIn({ provider: vendor }, model.id, at, family?.formats.includes('openai-embeddings'))
    const reason = reasonAgainst(model, family, price)
    if (model.deprecated) sorted.retired.push(id)
    if (reason === null && price) sorted.offered[id] = { contextTokens: model.context_window ?? 0, ...price }
    else sorted.leftOut[id] = reason ?? 'its price is of another shape'
  }
  return sorted
}

export function sortLibrary(at: Date): SortedModels {
  const all = vendors
    .flatMap((providerId) => findProvider({ providerId }) ?? [])
    .map((vendor) => sortModels(at, vendor))
  return {
    offered: Object.assign({}, ...all.map(({ offered }) => offered)),
    retired: all.flatMap(({ retired }) => retired),
    leftOut: Object.assign({}, ...all.map(({ leftOut }) => leftOut)),
  }
}

function reasonAgainst({ id, deprecated, context_window }: ModelInfo, family: Family | undefined, price: unknown) {
  const why = leftOut.find(([names]) => names.test(id))?.[1]
  if (why) return why
  if (deprecated || replacementOf(id)) return 'retired'
  if (!family) return 'of no known family'
  if (!price) return 'its price is of another shape'
  return (family.contextTokens ?? context_window) ? null : 'its context is not known'
}

/** @param day YYYY-MM-DD */
export function priceListText(day: string): string {
  const at = new Date(`${day}T12:00:00Z`)
  const { offered, retired } = sortLibrary(at)
  const others = otherModels.flatMap((model) => {
    const price = listPriceOf(model, at)
    return price ? [[modelId(model), price] as const] : []
  })
  const lines = [...Object.entries(offered), ...others].map(([id, price]) => line(`'${id}'`, price))
  return `// Generated from the vendor's list by "npm run generate"; do not edit.
import type { ListPrice } from './model.ts'

/** The day whose prices these are. */
export const priceDay = '${day}'

/** Names this list on receipts. */
export const priceListVersion = 'genai-prices-${version}-${day}'

/** US dollars per million tokens, without markup. */
export const priceList: Readonly<Record<string, ListPrice>> = {
${lines.join('\n')}
}

/** Models that the vendor's list says are retired. */
export const retiredModels: readonly string[] = [${retired.map((id) => `'${id}'`).join(', ')}]
`
}

/** An entry in the formatter's layout: on one line if it fits. */
function line(name: string, price: ListPrice): string {
  const whole = `  ${name}: { ${fields(price).join(', ')} },`
  return whole.length <= 120 ? whole : `  ${name}: {\n    ${fields(price).join(',\n    ')},\n  },`
}

const fields = (value: object): string[] =>
  Object.entries(value).map(
    ([name, field]) =>
      `${name}: ${typeof field === 'object' && field !== null ? `{ ${fields(field).join(', ')} }` : String(field)}`,
  )

/** Null if the price is unknown, zero, or of a shape without an upper bound. */
export const listPriceOf = ({ upstreamModel, pricedBy, provider }: CatalogueModel, at: Date): ListPrice | null =>
  priceIn({ providerId: pricedBy ?? provider }, upstreamModel, at)

function priceIn(of: PriceOptions, upstreamModel: string, at: Date, embeds = false): ListPrice | null {
  const price = foundPrice(of, upstreamModel, at)
  // The library also matches by family; only the model's own price is valid.
  if (price?.model.id !== upstreamModel || !isBounded(price.model_price)) return null
  const [aboveTokens, ...others] = tierStarts(price.model_price)
  const base = dollars(price.model_price, 'base', embeds)
  if (!base || others.length > 0) return null
  if (aboveTokens === undefined) return base
  const long = dollars(price.model_price, 'tier', embeds)
  return long && { ...base, long: { aboveTokens, ...long } }
}

const kinds = ['input_mtok', 'cache_read_mtok', 'cache_write_mtok', 'output_mtok'] as const

/** The library throws for contradictory prices. */
function foundPrice(of: PriceOptions, upstreamModel: string, at: Date): ReturnType<typeof calcPrice> {
  try {
    return calcPrice({}, upstreamModel, { ...of, timestamp: at })
  } catch {
    return null
  }
}

/** Other prices: the proxy includes them in holds, or blocks the calls that cause them. */
const otherKinds = ['cache_write_1h_mtok', 'web_searches_kcount', 'storage_searches_kcount']

/** Whether the proxy can hold for it: text tokens, searches, and a one-hour cache at the expected price. */
function isBounded(price: ModelPrice): boolean {
  const names = Object.keys(price).filter((name) => price[name] !== undefined)
  const { input_mtok: input, cache_write_1h_mtok: hour } = price
  const [first, kept] = [input, hour].map((value) => (typeof value === 'object' ? value.base : value))
  const isHourKnown = kept === undefined || Math.abs(kept - hourCacheFactor * (first ?? 0)) < 1e-9
  return isHourKnown && names.every((name) => [...kinds, ...otherKinds].includes(name))
}

/** The token counts at which long-context prices begin, without duplicates. */
function tierStarts(price: ModelPrice): number[] {
  const values = kinds.map((kind) => price[kind])
  const starts = values.flatMap((value) => (typeof value === 'object' ? value.tiers.map(({ start }) => start) : []))
  return [...new Set(starts)]
}

function dollars(price: ModelPrice, part: 'base' | 'tier', embeds: boolean): DollarPrices | null {
  const read = (kind: (typeof kinds)[number]): number | undefined => {
    const value = price[kind]
    if (typeof value !== 'object') return value
    return (part === 'tier' ? value.tiers[0]?.price : undefined) ?? value.base
  }
  const input = read('input_mtok')
  const output = embeds ? 0 : read('output_mtok')
  if (!input || output === undefined || (output === 0 && !embeds)) return null
  return { input, cachedInput: read('cache_read_mtok') ?? input, cacheWrite: read('cache_write_mtok') ?? input, output }
}
