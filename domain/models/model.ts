import * as z from 'zod'
import { unsignedMicros } from '../money.ts'

export const formatNames = ['openai-chat', 'openai-responses', 'anthropic-messages', 'openai-embeddings'] as const
export type FormatName = (typeof formatNames)[number]

export type ChatFormatName = Exclude<FormatName, 'openai-embeddings'>

/** µUSD per million tokens, by kind of token. */
export const unitPrices = z.object({
  input: unsignedMicros,
  cachedInput: unsignedMicros,
  cacheWrite: unsignedMicros,
  output: unsignedMicros,
})
export type UnitPrices = z.infer<typeof unitPrices>

export const priceKinds = unitPrices.keyof().options

export const model = z
  .object({
    id: z.string().meta({ example: 'local/echo', description: 'As `provider/model`.' }),
    provider: z.string(),
    formats: z.array(z.enum(formatNames)).meta({
      description: 'The provider’s format. Requests in this format are passed on unchanged; all others are translated.',
    }),
    contextTokens: z.int().nullable(),
    maxOutputTokens: z.int().nullable(),
    prices: unitPrices.meta({ description: 'A call’s price, markup included, in µUSD per million tokens.' }),
    searchMicros: unsignedMicros
      .optional()
      .meta({ description: 'The price of one web search by the provider. Absent if the provider offers none.' }),
    longContext: z
      .object({ aboveTokens: z.int(), prices: unitPrices })
      .optional()
      .meta({ description: 'The prices of a whole call with an input of more than this many tokens.' }),
  })
  .meta({ id: 'Model' })
export type Model = z.infer<typeof model>

export interface PricedModel extends Model {
  upstreamModel: string
  /** Most tokens of one image; null when images cannot be bounded and are refused. */
  imageTokens: number | null
  /**
   * True if a stream without a reader stops and costs only its visible output. Others are read to the end for their
   * report.
   */
  stopsUnread?: boolean
  priceVersion: string
  /** Basis points added to the provider's price; `prices` includes them. */
  markup: number
}

export const isEmbedding = ({ formats }: Pick<Model, 'formats'>): boolean => formats.includes('openai-embeddings')

export function showModel(priced: PricedModel): Model {
  const { upstreamModel: _, imageTokens: __, priceVersion: ___, markup: ____, stopsUnread: _____, ...shown } = priced
  return shown
}

/** US dollars per million tokens, as a provider publishes them. */
export type DollarPrices = Record<keyof UnitPrices, number>

export interface ListPrice extends DollarPrices {
  /** Most tokens the model reads, where the price library has it. */
  contextTokens?: number
  /** Prices of a whole call whose input is longer than `aboveTokens`. */
  long?: DollarPrices & { aboveTokens: number }
}
