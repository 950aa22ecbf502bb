import type { FormatName } from './model.ts'

/** In the order in which the first one that is set up gives the default model. */
export const providers = ['anthropic', 'openai', 'bedrock', 'openrouter', 'local'] as const
type ProviderName = (typeof providers)[number]

/** A model the service knows, whether or not its provider is set up here. */
export interface CatalogueModel {
  provider: ProviderName
  upstreamModel: string
  formats: readonly FormatName[]
  contextTokens: number | null
  maxOutputTokens: number | null
  /** Tokens one image of any size can be at most, with every detail level the proxy lets through. */
  imageTokens: number | null
  /** Its provider's name in the vendor's price list, where that differs. */
  pricedBy?: string
}

/** Models that differ in name and size only. */
const alike =
  (shared: Omit<CatalogueModel, 'upstreamModel' | 'contextTokens' | 'maxOutputTokens'>) =>
  (upstreamModel: string, contextTokens: number, maxOutputTokens: number): CatalogueModel => ({
    ...shared,
    upstreamModel,
    contextTokens,
    maxOutputTokens,
  })

const anthropic = alike({
  provider: 'anthropic',
  formats: ['openai-chat', 'anthropic-messages'],
  imageTokens: 5_000,
})
const openai = alike({ provider: 'openai', formats: ['openai-chat', 'openai-responses'], imageTokens: 4_096 })
const bedrockClaude = alike({
  provider: 'bedrock',
  formats: ['anthropic-messages'],
  imageTokens: 5_000,
  pricedBy: 'aws',
})
const bedrock = alike({ provider: 'bedrock', formats: ['openai-chat'], imageTokens: null, pricedBy: 'aws' })
const openrouter = alike({ provider: 'openrouter', formats: ['openai-chat'], imageTokens: null })
const local = alike({ provider: 'local', formats: ['openai-chat'], imageTokens: null })

/**
 * Every model, each provider's default first. OpenRouter's are those that cost the same at whichever host it picks.
 * Prices come from the price list, or are our own (`prices.ts`).
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
  bedrockClaude('global.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000, 64_000),
  bedrockClaude('global.anthropic.claude-haiku-4-5-20251001-v1:0', 200_000, 64_000),
  bedrock('openai.gpt-oss-120b-1:0', 128_000, 16_384),
  bedrock('openai.gpt-oss-20b-1:0', 128_000, 16_384),
  openrouter('anthropic/claude-sonnet-4.5', 1_000_000, 64_000),
  openrouter('openai/gpt-5-mini', 400_000, 128_000),
  openrouter('google/gemini-2.5-flash', 1_048_576, 65_535),
  local('echo', 128_000, 8_192),
]

/** Further names of models: dated ones that SDKs' examples use, and short ones for people. */
const aliases: Readonly<Record<string, string>> = {
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
const fallbacks: Readonly<Record<string, readonly string[]>> = {
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

export const modelId = ({ provider, upstreamModel }: Pick<CatalogueModel, 'provider' | 'upstreamModel'>): string =>
  `${provider}/${upstreamModel}`

/** Ids of the same model elsewhere. */
export const fallbackIds = (id: string): readonly string[] =>
  Object.hasOwn(fallbacks, id) ? (fallbacks[id] ?? []) : []

/** The id that a further name stands for; any other name as it is. */
export const idOf = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name)
