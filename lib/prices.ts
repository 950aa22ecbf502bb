import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { calcPrice, type ModelPrice, type TieredPrices } from '@pydantic/genai-prices'
import { type CatalogueModel, catalogue, modelId } from '../domain/models/catalogue.ts'
import type { ListPrice } from '../domain/models/pricing.ts'

/** The generated file, which the service reads its prices from: the vendor's whole list would be in every bundle. */
export const priceListFile = fileURLToPath(new URL('../domain/models/price-list.ts', import.meta.url))

const { version } = JSON.parse(
  readFileSync(new URL('../node_modules/@pydantic/genai-prices/package.json', import.meta.url), 'utf8'),
)

/** The text of the price list with the prices that hold on a day, as YYYY-MM-DD. */
export function priceListText(day: string): string {
  const lines = catalogue.flatMap((one) => {
    const price = listPriceOf(one, new Date(`${day}T12:00:00Z`))
    return price ? [line(`'${modelId(one)}'`, price)] : []
  })
  return `// Generated from the catalogue and the vendor's list by "npm run generate"; do not edit.
import type { ListPrice } from './pricing.ts'

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
    ([name, one]) =>
      `${name}: ${typeof one === 'object' && one !== null ? `{ ${fields(one).join(', ')} }` : String(one)}`,
  )

/** What a model costs at `at`; null when its price is unknown, zero, or of a shape that cannot be bounded. */
export function listPriceOf(one: CatalogueModel, at: Date): ListPrice | null {
  const asked = one.pricedAs ?? one.upstreamModel
  const found = calcPrice({}, asked, { providerId: one.pricedBy ?? one.provider, timestamp: at })
  // the list also matches by family; only the very model's own price counts
  if (found?.model.id !== asked) return null
  const aboveTokens = tierStart(found.model_price)
  if (aboveTokens === undefined) return null
  const base = dollars(found.model_price, 'base')
  const long = aboveTokens === null ? null : dollars(found.model_price, 'tier')
  if (!base || (aboveTokens !== null && !long)) return null
  return { ...base, ...(aboveTokens !== null && long && { long: { aboveTokens, ...long } }) }
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

function dollars(price: ModelPrice, part: 'base' | 'tier'): Omit<ListPrice, 'long'> | null {
  const read = (kind: (typeof kinds)[number]): number | null => {
    const value = price[kind]
    if (value === undefined) return null
    return typeof value === 'number' ? value : dollarsOf(value, part)
  }
  const input = read('input_mtok')
  const output = read('output_mtok')
  if (!input || !output) return null
  return { input, cachedInput: read('cache_read_mtok') ?? input, cacheWrite: read('cache_write_mtok') ?? input, output }
}

const dollarsOf = (value: TieredPrices, part: 'base' | 'tier'): number =>
  part === 'tier' ? (value.tiers[0]?.price ?? value.base) : value.base
