import { familyOf, lineOf, replacementOf } from './families.ts'
import type { FormatName } from './model.ts'
import { priceList, retiredModels } from './price-list.ts'

/** The first configured provider has the default model; an operator's own providers are before the last. */
export const providers = ['anthropic', 'openai', 'bedrock', 'openrouter', 'local'] as const
type ProviderName = (typeof providers)[number]

/** A model the service knows, whether or not its provider is configured. */
export interface CatalogueModel {
  provider: ProviderName
  upstreamModel: string
  formats: readonly FormatName[]
  contextTokens: number | null
  maxOutputTokens: number | null
  /** Most tokens of one image of any size, with every detail level the proxy lets through. */
  imageTokens: number | null
  /** All output is visible while it is produced: the model only thinks on request. */
  allSeen?: true
  /** The provider's name in the vendor's price list, where it differs. */
  pricedBy?: string
}

/**
 * Providers that stop a stream without a reader, and its price; others continue to the end. Source: OpenRouter's
 * documentation (Stream Cancellation), whose own hosts do either.
 */
export const stopUnread: ReadonlySet<string> = new Set(['anthropic', 'openai', 'local'] satisfies ProviderName[])

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

/** Kept by hand, each provider's default first. OpenRouter's models cost the same at each of its hosts. */
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

const defaults: readonly string[] = ['anthropic/claude-sonnet-4-6', 'openai/gpt-5-mini']

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

/** Each provider's default first. */
export const catalogue: readonly CatalogueModel[] = [...listedModels(), ...otherModels]

const shortNames: Readonly<Record<string, string>> = {
  'claude-sonnet': 'anthropic/claude-sonnet-4-6',
  'claude-haiku': 'anthropic/claude-haiku-4-5',
  'claude-opus': 'anthropic/claude-opus-4-6',
}

const isNewer = (version: readonly number[], than: readonly number[]): boolean => {
  const differs = version.findIndex((part, index) => part !== than[index])
  return differs >= 0 && (version[differs] ?? 0) > (than[differs] ?? 0)
}

/** By line: `claude-sonnet`, `gpt-mini`. */
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

/** With and without their provider: `claude-sonnet-latest` is the newest of its line. */
export const aliases: ReadonlyMap<string, string> = new Map(
  [...Object.entries(shortNames), ...[...newest].map(([line, id]) => [`${line}-latest`, id] as const)].flatMap(
    ([name, id]) => [[name, id] as const, [`${id.split('/')[0]}/${name}`, id] as const],
  ),
)

/** The same model elsewhere, in the order of tries after its own provider failed before the first byte. */
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

export const fallbackIds = (id: string): readonly string[] =>
  Object.hasOwn(fallbacks, id) ? (fallbacks[id] ?? []) : []

/** Null for a model that is not retired. */
export function successorOf(name: string): string | null {
  const replacement = replacementOf(name)
  if (replacement) return aliases.get(replacement) ?? null
  const id = retiredModels.find((each) => each === name || each.endsWith(`/${name}`))
  if (id === undefined) return null
  const [provider = '', model = ''] = id.split('/')
  return newest.get(lineOf(model)?.line ?? '') ?? defaults.find((each) => each.startsWith(`${provider}/`)) ?? null
}

/** A vendor's model with the day of its only snapshot; clouds write the day after an `@`. */
const dated = /^((?:anthropic\/|openai\/)?(?:claude|gpt|o\d)\b.*)[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/

/** Without the context size that Claude Code appends: `claude-sonnet-4-6[1m]`. */
export const withoutContextMark = (name: string): string => name.replace(/(\s*\[\d{1,4}[km]\])+\s*$/i, '')

/** Models that a name may mean, ids first; the first available one counts. */
export function* meaningsOf(given: string): Iterable<string> {
  const name = withoutContextMark(given)
  yield aliases.get(name) ?? name
  const undated = successorOf(name) ? undefined : dated.exec(name)?.[1]
  if (undated !== undefined) yield undated
}
