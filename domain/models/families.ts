import type { FormatName } from './model.ts'

export interface Family {
  provider: 'anthropic' | 'openai'
  names: RegExp
  formats: readonly FormatName[]
  maxOutputTokens: number
  imageTokens: number | null
  allSeen?: true
  /** Where the library's own number is rounded. */
  contextTokens?: number
}

const alike =
  (shared: Omit<Family, 'names' | 'maxOutputTokens'>) =>
  (names: RegExp, maxOutputTokens: number, more: Partial<Family> = {}): Family => ({
    ...shared,
    names,
    maxOutputTokens,
    ...more,
  })

const claude = alike({ provider: 'anthropic', formats: ['openai-chat', 'anthropic-messages'], imageTokens: 5_000 })
const openai = alike({ provider: 'openai', formats: ['openai-chat', 'openai-responses'], imageTokens: 4_096 })
const onlyResponses: Partial<Family> = { formats: ['openai-responses'] }
/** These read an image in its own size unless told otherwise: up to 10,000 patches, a token each. */
const ownSize: Partial<Family> = { imageTokens: 10_000 }

/** The first match counts. A model without a match is not offered, since its limits are unknown. */
const families: readonly Family[] = [
  claude(/^claude-(opus-4-5|sonnet-4-\d|haiku-4-5)$/, 64_000, { allSeen: true }),
  claude(/^claude-opus-4-6$/, 128_000, { allSeen: true }),
  claude(/^claude-[a-z]+-\d+(-\d+)?$/, 128_000),
  openai(/^gpt-4\.1(-mini)?$/, 32_768, { contextTokens: 1_047_576, allSeen: true }),
  openai(/^gpt-4o$/, 16_384, { allSeen: true }),
  // An image is 2,833 tokens and 5,667 for each of its tiles, eight at most.
  openai(/^gpt-4o-mini$/, 16_384, { allSeen: true, imageTokens: 48_200 }),
  openai(/^o3$/, 100_000),
  openai(/^o3-pro$/, 100_000, onlyResponses),
  openai(/^gpt-5-pro$/, 272_000, onlyResponses),
  openai(/^gpt-(5\.[5-9]|[6-9]|[6-9]\.\d)-(pro|codex)$/, 128_000, { ...onlyResponses, ...ownSize }),
  openai(/^gpt-(5\.[5-9]|[6-9]|[6-9]\.\d)(-(mini|nano|astra|sol|terra|luna))?$/, 128_000, ownSize),
  openai(/^gpt-5(\.\d)?-(pro|codex)$/, 128_000, onlyResponses),
  openai(/^gpt-5(\.\d)?(-(mini|nano))?$/, 128_000),
  openai(/^text-embedding-3-(small|large)$/, 0, { formats: ['openai-embeddings'], imageTokens: null }),
]

export const familyOf = (provider: string, name: string): Family | undefined =>
  families.find((family) => family.provider === provider && family.names.test(name))

/** Models of the price library that are no text models with a price per token here, and why. */
export const leftOut: readonly [RegExp, string][] = [
  [/^ft:|\.ft-/, 'tuned for one customer'],
  [/audio|realtime|transcribe|-tts|whisper/, 'audio'],
  [/image/, 'makes images'],
  [/moderation/, 'makes no text'],
  [/search|deep-research|computer-use/, 'uses tools at prices of their own'],
  [/^gpt-oss|:extended$/, 'not served by this provider'],
  [/ada-002/, 'costs more than what is better'],
  [/^gpt-chat-latest$/, 'changes without notice'],
]

/** Models whose provider no longer answers, and the replacement's name. */
const retired: readonly [RegExp, string][] = [
  [/^claude-(3[-.\d]*-haiku|instant)/, 'claude-haiku-latest'],
  [/^claude-(3-opus|4-opus|opus-4(-[01])?(-\d{8})?$)/, 'claude-opus-latest'],
  [/^claude-(2|v\d|3[-.\d]*-sonnet|4-sonnet|sonnet-3|sonnet-4(-0)?(-\d{8})?$)/, 'claude-sonnet-latest'],
  [/^(codex-mini|gpt-5(\.[12])?-codex)/, 'gpt-codex-latest'],
  [/^gpt-4\.1-nano/, 'gpt-nano-latest'],
  [
    /^(gpt-3|(text-)?(ada|babbage|curie|davinci)(-\d+)?$|o1-mini|o3-mini|o4-mini$|o4-mini-(high|\d))/,
    'gpt-mini-latest',
  ],
  [/^(gpt-4(-(turbo|32k|vision|\d{4}).*)?$|gpt-4\.5|gpt-4o-2024-05-13$|chatgpt|o1)/, 'gpt-latest'],
  [/^gpt-5(\.[123])?-chat|^gpt-5\.3$/, 'gpt-latest'],
]

export const replacementOf = (name: string): string | null =>
  retired.find(([names]) => names.test(name.replace(/^(anthropic|openai)\//, '')))?.[1] ?? null

/** A name without its version, and the version, of `claude-opus-5-5` or `gpt-5.4-mini`; null without a version. */
export function lineOf(name: string): { line: string; version: readonly number[] } | null {
  const [, maker, kind, major, minor = '0', size] =
    /^(gpt|claude)(?:-([a-z]+))?-(\d+)(?:[.-](\d{1,2}))?(?:-([a-z]+))?$/.exec(name) ?? []
  if (major === undefined) return null
  // the middle one of three sizes is what had no name of its own before
  const words = [maker, kind, size === 'sol' ? undefined : size]
  return { line: words.filter((word) => word !== undefined).join('-'), version: [Number(major), Number(minor)] }
}
