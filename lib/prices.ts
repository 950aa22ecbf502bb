import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { calcPrice, type ModelPrice } from '@pydantic/genai-prices'
import { type CatalogueModel, catalogue, modelId } from '../domain/models/catalogue.ts'
import type { DollarPrices, ListPrice } from '../domain/models/model.ts'

/** The generated file, which the service reads its prices from: the vendor's whole list would be in every bundle. */
export const priceListFile = fileURLToPath(new URL('../domain/models/price-list.ts', import.meta.url))

const { version } = JSON.parse(
  readFileSync(new URL('../node_modules/@pydantic/genai-prices/package.json', import.meta.url), 'utf8'),
)

/** The text of the price list with the prices that hold on a day, as YYYY-MM-DD. */
export function priceListText(day: string): string {
  const lines = catalogue.flatMap((model) => {
    const price = listPriceOf(model, new Date(`${day}T12:00:00Z`))
    return price ? [line(`'${modelId(model)}'`, price)] : []
  })
  return `// Generated from the catalogue and the vendor's list by "npm run generate"; do not edit.
import type { ListPrice } from './model.ts'

/** The day whose prices these are. */
export const priceDay = '${day}'

/** Names this list on receipts. */
export const priceListVersion = 'genai-prices-${version}-${day}'

/** US dollars per million tokens, without markup. */
export const priceList: Readonly<Record<string, ListPrice>> = {
${lines.join('\n')}
}
`
}

/** One entry the way the project's formatter writes it: on one line if it fits. */
function line(name: string, price: ListPrice): string {
  const whole = `  ${name}: { ${fields(price).join(', ')} },`
  return whole.length <= 120 ? whole : `  ${name}: {\n    ${fields(price).join(',\n    ')},\n  },`
}

const fields = (value: object): string[] =>
  Object.entries(value).map(
    ([name, field]) =>
      `${name}: ${typeof field === 'object' && field !== null ? `{ ${fields(field).join(', ')} }` : String(field)}`,
  )

/** What a model costs at `at`; null when its price is unknown, zero, or of a shape that cannot be bounded. */
export function listPriceOf({ upstreamModel, pricedBy, provider }: CatalogueModel, at: Date): ListPrice | null {
  const found = calcPrice({}, upstreamModel, { providerId: pricedBy ?? provider, timestamp: at })
  // the list also matches by family; only the very model's own price counts
  if (found?.model.id !== upstreamModel) return null
  const [aboveTokens, ...others] = tierStarts(found.model_price)
  const base = dollars(found.model_price, 'base')
  if (!base || others.length > 0) return null
  if (aboveTokens === undefined) return base
  const long = dollars(found.model_price, 'tier')
  return long && { ...base, long: { aboveTokens, ...long } }
}

const kinds = ['input_mtok', 'cache_read_mtok', 'cache_write_mtok', 'output_mtok'] as const

/** Where long-context prices begin, each once. */
function tierStarts(price: ModelPrice): number[] {
  const values = kinds.map((kind) => price[kind])
  const starts = values.flatMap((value) => (typeof value === 'object' ? value.tiers.map(({ start }) => start) : []))
  return [...new Set(starts)]
}

function dollars(price: ModelPrice, part: 'base' | 'tier'): DollarPrices | null {
  const read = (kind: (typeof kinds)[number]): number | undefined => {
    const value = price[kind]
    if (typeof value !== 'object') return value
    return (part === 'tier' ? value.tiers[0]?.price : undefined) ?? value.base
  }
  const input = read('input_mtok')
  const output = read('output_mtok')
  if (!input || !output) return null
  return { input, cachedInput: read('cache_read_mtok') ?? input, cacheWrite: read('cache_write_mtok') ?? input, output }
}
