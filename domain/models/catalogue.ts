import type { Format, UnitPrices } from './model.ts'

/** In the order in which the first one that is set up gives the default model. */
export const providers = ['anthropic', 'openai', 'bedrock', 'openrouter', 'local'] as const
export type ProviderName = (typeof providers)[number]

/** A model the service knows, whether or not its provider is set up here. */
export interface CatalogueModel {
  provider: ProviderName
  upstreamModel: string
  formats: readonly Format[]
  contextTokens: number | null
  maxOutputTokens: number | null
  /** Tokens one image of any size can be at most, with every detail level the proxy lets through. */
  imageTokens: number | null
  /** Its name in the vendor's price list, where that differs. */
  pricedAs?: string
  /** Its provider's name there, where that differs. */
  pricedBy?: string
}

const chat: readonly Format[] = ['openai-chat']
const openaiFormats: readonly Format[] = ['openai-chat', 'openai-responses']
const anthropicFormats: readonly Format[] = ['openai-chat', 'anthropic-messages']
const messages: readonly Format[] = ['anthropic-messages']

const openai = (upstreamModel: string, contextTokens: number, maxOutputTokens: number): CatalogueModel => ({
  provider: 'openai',
  upstreamModel,
  formats: openaiFormats,
  contextTokens,
  maxOutputTokens,
  imageTokens: 4_096,
})

const anthropic = (upstreamModel: string, contextTokens: number, maxOutputTokens: number): CatalogueModel => ({
  provider: 'anthropic',
  upstreamModel,
  formats: anthropicFormats,
  contextTokens,
  maxOutputTokens,
  imageTokens: 5_000,
})

const openrouter = (upstreamModel: string, contextTokens: number, maxOutputTokens: number): CatalogueModel => ({
  provider: 'openrouter',
  upstreamModel,
  formats: chat,
  contextTokens,
  maxOutputTokens,
  imageTokens: null,
})

const bedrock = (
  upstreamModel: string,
  formats: readonly Format[],
  contextTokens: number,
  maxOutputTokens: number,
): CatalogueModel => ({
  provider: 'bedrock',
  upstreamModel,
  formats,
  contextTokens,
  maxOutputTokens,
  imageTokens: formats === chat ? null : 5_000,
  pricedBy: 'aws',
})

/**
 * Every model, each provider's default first. OpenRouter's are those that cost the same at whichever host it picks.
 * Prices come from the price list, or from `ownPrices`.
 */
export const catalogue: readonly CatalogueModel[] = [
  anthropic('claude-sonnet-4-6', 1_000_000, 64_000),
  anthropic('claude-haiku-4-5', 200_000, 64_000),
  anthropic('claude-sonnet-4-5', 200_000, 64_000),
  anthropic('claude-opus-4-6', 1_000_000, 128_000),
  openai('gpt-5-mini', 400_000, 128_000),
  openai('gpt-5', 400_000, 128_000),
  openai('gpt-5-nano', 400_000, 128_000),
  openai('gpt-5.4', 1_050_000, 128_000),
  openai('gpt-4.1', 1_047_576, 32_768),
  openai('gpt-4.1-mini', 1_047_576, 32_768),
  bedrock('global.anthropic.claude-sonnet-4-5-20250929-v1:0', messages, 200_000, 64_000),
  bedrock('global.anthropic.claude-haiku-4-5-20251001-v1:0', messages, 200_000, 64_000),
  bedrock('openai.gpt-oss-120b-1:0', chat, 128_000, 16_384),
  bedrock('openai.gpt-oss-20b-1:0', chat, 128_000, 16_384),
  openrouter('anthropic/claude-sonnet-4.5', 1_000_000, 64_000),
  openrouter('openai/gpt-5-mini', 400_000, 128_000),
  openrouter('google/gemini-2.5-flash', 1_048_576, 65_535),
  {
    provider: 'local',
    upstreamModel: 'echo',
    formats: chat,
    contextTokens: 128_000,
    maxOutputTokens: 8_192,
    imageTokens: null,
  },
]

/** Further names of models: dated ones that SDKs' examples use, and short ones for people. */
export const aliases: Readonly<Record<string, string>> = {
  'claude-sonnet': 'anthropic/claude-sonnet-4-6',
  'claude-haiku': 'anthropic/claude-haiku-4-5',
  'claude-opus': 'anthropic/claude-opus-4-6',
  'claude-sonnet-4-5-20250929': 'anthropic/claude-sonnet-4-5',
  'claude-haiku-4-5-20251001': 'anthropic/claude-haiku-4-5',
  'gpt-5-2025-08-07': 'openai/gpt-5',
  'gpt-5-mini-2025-08-07': 'openai/gpt-5-mini',
  'gpt-5-nano-2025-08-07': 'openai/gpt-5-nano',
  'gpt-4.1-2025-04-14': 'openai/gpt-4.1',
  'gpt-4.1-mini-2025-04-14': 'openai/gpt-4.1-mini',
}

/** The same model elsewhere, in the order it is tried when its own provider fails before the first byte. */
export const standIns: Readonly<Record<string, readonly string[]>> = {
  'anthropic/claude-sonnet-4-5': [
    'bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'openrouter/anthropic/claude-sonnet-4.5',
  ],
  'anthropic/claude-haiku-4-5': ['bedrock/global.anthropic.claude-haiku-4-5-20251001-v1:0'],
  'bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0': ['anthropic/claude-sonnet-4-5'],
  'bedrock/global.anthropic.claude-haiku-4-5-20251001-v1:0': ['anthropic/claude-haiku-4-5'],
  'openai/gpt-5-mini': ['openrouter/openai/gpt-5-mini'],
  'openrouter/openai/gpt-5-mini': ['openai/gpt-5-mini'],
  'openrouter/anthropic/claude-sonnet-4.5': ['anthropic/claude-sonnet-4-5'],
}

export const modelId = (one: Pick<CatalogueModel, 'provider' | 'upstreamModel'>): string =>
  `${one.provider}/${one.upstreamModel}`

/** Markup on providers' prices, in basis points: 500 is 5 %. */
export const markupBasisPoints = 500

/** Models with a price of our own, in µUSD per million tokens, no markup on top. They win over the price list. */
export const ownPrices: Readonly<Record<string, UnitPrices>> = {
  'local/echo': { input: 500_000, cachedInput: 500_000, cacheWrite: 500_000, output: 1_500_000 },
}

export const ownPriceVersion = 'berth-1'

/** A provider's price in US dollars per million tokens, with the markup, in whole µUSD rounded up. */
export function markedUp(dollarsPerMillion: number, basisPoints: number): number {
  const nanos = BigInt(Math.round(dollarsPerMillion * 1e9))
  const scaled = nanos * BigInt(10_000 + basisPoints)
  const unit = 1_000n * 10_000n
  return Number((scaled + unit - 1n) / unit)
}
