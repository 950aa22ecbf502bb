import { familyOf, lineOf, replacementOf } from './families.ts'
import type { FormatName } from './model.ts'
import { priceList, retiredModels } from './price-list.ts'

/**
 * In the order in which the first one that is set up gives the default model; an operator's own come before the last.
 */
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
  /** Its whole output is visible while it is produced: it only thinks on request. */
  allSeen?: true
  /** Its provider's name in the vendor's price list, where that differs. */
  pricedBy?: string
}

/**
 * Providers that stop a stream which nobody reads any more, and its price with it; the others go on to the end. So
 * OpenRouter's documentation says of them (Stream Cancellation), whose own hosts do the one or the other.
 */
export const stopUnread: ReadonlySet<string> = new Set(['anthropic', 'openai', 'local'] satisfies ProviderName[])

/** Models that differ in name and size only. */
const alike =
  (shared: Omit<CatalogueModel, 'upstreamModel' | 'contextTokens' | 'maxOutputTokens'>) =>
  (upstreamModel: string, contextTokens: number, maxOutputTokens: number): CatalogueModel => ({
    ...shared,
    upstreamModel,
    contextTokens,
    maxOutputTokens,
  })

const bedrockClaude = alike({
  provider: 'bedrock',
  formats: ['anthropic-messages'],
  imageTokens: 5_000,
  pricedBy: 'aws',
})
const bedrock = alike({ provider: 'bedrock', formats: ['openai-chat'], imageTokens: null, pricedBy: 'aws' })
const openrouter = alike({ provider: 'openrouter', formats: ['openai-chat'], imageTokens: null })
const local = alike({ provider: 'local', formats: ['openai-chat'], imageTokens: 1_000, allSeen: true })

/**
 * Models kept by hand, each provider's default first. OpenRouter's are those that cost the same at whichever host it
 * picks. Prices come from the price list, or are our own (`prices.ts`).
 */
export const otherModels: readonly CatalogueModel[] = [
  bedrockClaude('global.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000, 64_000),
  bedrockClaude('global.anthropic.claude-haiku-4-5-20251001-v1:0', 200_000, 64_000),
  bedrock('openai.gpt-oss-120b-1:0', 128_000, 16_384),
  bedrock('openai.gpt-oss-20b-1:0', 128_000, 16_384),
  openrouter('anthropic/claude-sonnet-4.5', 1_000_000, 64_000),
  openrouter('openai/gpt-5-mini', 400_000, 128_000),
  openrouter('google/gemini-2.5-flash', 1_048_576, 65_535),
  local('echo', 128_000, 8_192),
  { ...local('echo-embedding', 8_192, 0), formats: ['openai-embeddings'], imageTokens: null },
]

/** The default models of Anthropic's and OpenAI's formats. */
const defaults: readonly string[] = ['anthropic/claude-sonnet-4-6', 'openai/gpt-5-mini']

/** Anthropic's and OpenAI's models as the price library has them, the defaults first. */
function listedModels(): CatalogueModel[] {
  const rest = Object.keys(priceList).filter((id) => !defaults.includes(id))
  return [...defaults, ...rest].flatMap((id) => {
    const [provider = '', name = ''] = id.split('/')
    const family = familyOf(provider, name)
    if (!family) return []
    const { names: _, contextTokens = priceList[id]?.contextTokens ?? null, ...shared } = family
    return [{ ...shared, upstreamModel: name, contextTokens }]
  })
}

/** Every model, each provider's default first. */
export const catalogue: readonly CatalogueModel[] = [...listedModels(), ...otherModels]

/** Short names for people. */
const shortNames: Readonly<Record<string, string>> = {
  'claude-sonnet': 'anthropic/claude-sonnet-4-6',
  'claude-haiku': 'anthropic/claude-haiku-4-5',
  'claude-opus': 'anthropic/claude-opus-4-6',
}

const isNewer = (version: readonly number[], than: readonly number[]): boolean => {
  const differs = version.findIndex((part, index) => part !== than[index])
  return differs >= 0 && (version[differs] ?? 0) > (than[differs] ?? 0)
}

/** The newest model of each line, by the line's name: `claude-sonnet`, `gpt-mini`. */
function newestOfLines(): Map<string, string> {
  const newest = new Map<string, { id: string; version: readonly number[] }>()
  for (const { provider, upstreamModel: name } of catalogue) {
    const read = lineOf(name)
    if (!read) continue
    const known = newest.get(read.line)
    if (!known || isNewer(read.version, known.version))
      newest.set(read.line, { id: `${provider}/${name}`, version: read.version })
  }
  return new Map([...newest].map(([line, { id }]) => [line, id]))
}

const newest = newestOfLines()

/** Further names of models, with and without their provider: `claude-sonnet-latest` is the newest of its line. */
export const aliases: ReadonlyMap<string, string> = new Map(
  [...Object.entries(shortNames), ...[...newest].map(([line, id]) => [`${line}-latest`, id] as const)].flatMap(
    ([name, id]) => [[name, id] as const, [`${id.split('/')[0]}/${name}`, id] as const],
  ),
)

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

/** The id of the model to use in place of one that is retired; null for a model that is not. */
export function successorOf(name: string): string | null {
  const replacement = replacementOf(name)
  if (replacement) return aliases.get(replacement) ?? null
  const id = retiredModels.find((each) => each === name || each.endsWith(`/${name}`))
  if (id === undefined) return null
  const [provider = '', model = ''] = id.split('/')
  return newest.get(lineOf(model)?.line ?? '') ?? defaults.find((each) => each.startsWith(`${provider}/`)) ?? null
}

/** A vendor's model with the day of its snapshot, of which these models have one each; clouds write it after an `@`. */
const dated = /^((?:anthropic\/|openai\/)?(?:claude|gpt|o\d)\b.*)[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/

/** A name without the size of the context that Claude Code writes after it: `claude-sonnet-4-6[1m]`. */
export const withoutContextMark = (name: string): string => name.replace(/(\s*\[\d{1,4}[km]\])+\s*$/i, '')

/** The models that a name may mean, ids first: the first available one counts. */
export function* meaningsOf(given: string): Iterable<string> {
  const name = withoutContextMark(given)
  yield aliases.get(name) ?? name
  const undated = successorOf(name) ? undefined : dated.exec(name)?.[1]
  if (undated !== undefined) yield undated
}
