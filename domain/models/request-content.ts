import { invalid } from '../errors.ts'
import { defaultSearches, maxDepth, maxImages, maxOwnDepth, maxSearches } from './call-limits.ts'
import { isObject } from './json.ts'

/**
 * Unknown fields pass unchanged to the provider. Refused, whatever the field's name: access to data stored at the
 * provider, whose account all users share, and features that cost more than the priced tokens.
 */
export class RequestContent {
  images = 0
  /** Characters of the images' data, which is no text. */
  imageBytes = 0
  files = 0
  searches = 0
  hourCache = false
  readonly #maySearch: boolean

  /**
   * @param ours fields that we rewrite, whose values do not matter
   * @param searches whether the format bounds the provider's web searches; otherwise that tool is refused
   * @throws validation naming the field
   */
  constructor(body: Readonly<Record<string, unknown>>, ours: readonly string[], searches = false) {
    this.#maySearch = searches
    for (const [name, value] of Object.entries(body)) {
      if (says(value) && Object.hasOwn(closedAtTop, name)) throw invalid(name, closedAtTop[name] ?? '')
    }
    this.#object(body, { name: '', path: '', depth: 0, quoted: false }, ours)
  }

  #value(value: unknown, place: Place): void {
    if (place.depth > maxDepth) throw invalid(place.path.split('.', 1)[0] ?? 'body', 'This is nested too deeply.')
    if (typeof value === 'string') this.#string(value, place)
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) this.#value(item, inside(place, index))
    else if (isObject(value)) this.#object(value, place)
  }

  #object(object: Readonly<Record<string, unknown>>, place: Place, ours: readonly string[] = []): void {
    const at = (name: string) => inside(place, name).path
    const type = typeof object.type === 'string' ? object.type : ''
    if (searchTool.test(type) && place.path.startsWith('tools.')) this.#search(object, place)
    const closedType = closedTypes.find(([pattern]) => pattern.test(type))
    if (closedType) throw invalid(at('type'), closedType[1])
    this.#cacheControl(object.cache_control, at('cache_control'))
    if (type === 'base64' && typeof object.data === 'string')
      this.#data(String(object.media_type), object.data, at('data'))
    const quoted = place.quoted || saidBefore.test(type)
    for (const [name, value] of Object.entries(object)) {
      if (!says(value)) continue
      const why = Object.hasOwn(closed, name) ? closed[name]?.(value, object) : null
      if (why) throw invalid(at(name), why)
      if (ours.includes(name)) continue
      if (opaque.has(name) || (quoted && done.has(name))) {
        if (isDeeperThan(maxOwnDepth, value)) throw invalid(at(name), 'This is nested too deeply.')
        continue
      }
      this.#value(value, { ...inside(place, name), quoted })
    }
  }

  #string(value: string, { name, path, quoted }: Place): void {
    if (texts.has(name)) return
    const media = /^data:([\w.+-]+\/[\w.+-]+)?/i.exec(value.slice(0, 100))
    if (media) this.#data(media[1]?.toLowerCase() ?? '', value, path)
    else if (isStoredAtProvider(value)) throw invalid(path, stored)
    if (isAddress(value) && !(quoted && cited.has(name))) throw invalid(path, notFetched)
  }

  #data(mediaType: string, data: string, path: string): void {
    if (mediaType.startsWith('image/')) this.#image(data, path)
    else if (mediaType === 'application/pdf' || mediaType.startsWith('text/')) this.files++
    else throw invalid(path, 'Only images (PNG, JPEG, GIF, WebP), PDF and text are priced here.')
  }

  #search({ max_uses }: Readonly<Record<string, unknown>>, place: Place): void {
    // One inside of another tool is out of reach of what bounds it.
    if (!this.#maySearch || !/^tools\.\d+$/.test(place.path)) throw invalid(inside(place, 'type').path, unpricedTool)
    this.searches += searchesOf(max_uses)
  }

  #image(data: string, path: string): void {
    if (++this.images > maxImages) throw invalid(path, `Send at most ${maxImages} images.`)
    this.imageBytes += data.length
  }

  #cacheControl(given: unknown, path: string): void {
    const ttl = isObject(given) ? given.ttl : undefined
    if (ttl === undefined || ttl === null || ttl === '5m') return
    if (ttl !== '1h') throw invalid(`${path}.ttl`, 'Use 5m or 1h.')
    this.hourCache = true
  }
}

const isDeeperThan = (depth: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((each) => isDeeperThan(depth - 1, each)))

/** A provider's own web search, at a price for each search. */
export const searchTool = /^web_search([_-]\d.*)?$/

export const searchesOf = (asked: unknown): number =>
  typeof asked === 'number' && Number.isSafeInteger(asked) && asked > 0 ? Math.min(asked, maxSearches) : defaultSearches

/** Checks a value outside the body that is passed on unchanged, such as a header's. @throws validation naming it */
export function checkPassedOn(name: string, value: string): void {
  for (const part of value.split(',')) {
    if (isStoredAtProvider(part.trim())) throw invalid(name, stored)
    if (isAddress(part)) throw invalid(name, notFetched)
  }
}

/** `quoted`: part of an earlier answer. */
interface Place {
  /** The field's name; an item of a list has its list's. */
  name: string
  path: string
  depth: number
  quoted: boolean
}

const inside = ({ name, path, depth, quoted }: Place, key: string | number): Place => ({
  name: typeof key === 'string' ? key : name,
  path: path === '' ? String(key) : `${path}.${key}`,
  depth: depth + 1,
  quoted,
})

const says = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)

const stateless = 'Nothing is stored between calls. Send the whole conversation.'
const stored = 'Nothing is stored between calls, so nothing can be named that is. Send the content itself.'
const notFetched = 'Nothing is fetched for a call. Send the content itself, as a data: URL.'
const oneModel = 'A call has one model and its price. Name it as the model.'
const audio = 'Audio is not priced here.'
const unpricedTool =
  'This tool is run by the provider and costs money of its own, which is not priced here. Use a tool of your own.'
const summarized =
  'The provider summarizes with tokens that it does not count with the answer’s, which is not priced here. Summarize with a call of its own.'
const onlyStandard = 'Only the standard tier and speed are priced here.'

/** Fields of the body itself that choose other prices than the model's. */
const closedAtTop: Readonly<Record<string, string>> = {
  models: oneModel,
  route: oneModel,
  provider: oneModel,
  preset: oneModel,
  fallbacks: oneModel,
  compaction: summarized,
  plugins: unpricedTool,
  web_search_options: unpricedTool,
  mcp_servers: unpricedTool,
  prompt: 'Stored prompts are not looked up. Send the text itself.',
}

type Closed = (value: unknown, of: Readonly<Record<string, unknown>>) => string | null
const always =
  (why: string): Closed =>
  () =>
    why
const unless =
  (allowed: readonly unknown[], why: string): Closed =>
  (value) =>
    allowed.includes(value) ? null : why

/** Fields closed at any depth: why, or null for a harmless value. */
const closed: Readonly<Record<string, Closed>> = {
  background: always('A call runs while its caller waits.'),
  previous_response_id: always(stateless),
  conversation: always(stateless),
  file_id: always(stored),
  file_ids: always(stored),
  vector_store_ids: always(stored),
  container: always(stored),
  cached_content: always(stored),
  service_tier: unless(['auto', 'default', 'standard', 'standard_only'], onlyStandard),
  speed: unless(['standard'], onlyStandard),
  inference_geo: unless(['global'], 'Only calls that may run anywhere are priced here.'),
  audio: (value) => (isObject(value) ? audio : null),
  input_audio: always(audio),
  modalities: (value) => (Array.isArray(value) && value.every((kind) => kind === 'text') ? null : audio),
  detail: (value, of) =>
    isImage(of) && !['auto', 'low', 'high'].includes(String(value)) ? 'Use auto, low or high.' : null,
}

const isImage = ({ url, image_url }: Readonly<Record<string, unknown>>): boolean =>
  typeof url === 'string' || typeof image_url === 'string'

const closedTypes: readonly [RegExp, string][] = [
  [/^item_reference$/, stateless],
  [
    /^(web_search_preview|web_fetch|code_execution|code_interpreter|file_search|image_generation|advisor|mcp|mcp_toolset)(_preview)?([_-]\d.*)?$/,
    unpricedTool,
  ],
  [/^openrouter:/, unpricedTool],
  [/^compact_\d/, summarized],
  [/^container(_auto|_reference)?$/, unpricedTool],
  [/^(input_audio|input_video|video_url|audio_url)$/, 'Only text, images and documents are priced here.'],
]

/** Actions and citations of an earlier answer, sent back: its addresses are quotations. */
const saidBefore = /(_use|_call|_citation|_location)$|^(web_(search|fetch)(_tool)?_result.*|search_result)$/

const cited = new Set(['source', 'uri', 'url'])

/** Its activity, in the caller's own words. */
const done = new Set(['action', 'caller', 'input'])

/** Fields whose value is the caller's own and is not read. */
export const opaque = new Set([
  'parameters',
  'input_schema',
  'output_schema',
  'schema',
  'input_examples',
  'examples',
  'annotations',
  'citations',
  'sources',
  'metadata',
  'logit_bias',
  'logprobs',
])

/** Fields of prose: an address or a name in them is not followed. */
const texts = new Set([
  'arguments',
  'content',
  'context',
  'data',
  'definition',
  'delta',
  'description',
  'encrypted_content',
  'input',
  'instructions',
  'model',
  'name',
  'output',
  'prefix',
  'reasoning',
  'reasoning_content',
  'refusal',
  'role',
  'signature',
  'stop',
  'stop_sequences',
  'suffix',
  'summary',
  'system',
  'text',
  'thinking',
  'title',
])

/** A provider's id: a kind, and a tail with a digit in it or longer than a word. */
const storedId =
  /^(resp|files?|conv|container|cntr|vs|asst|thread|run|batch|msgbatch|upload|pmpt|skill|session|sess|cachedcontents|eval|ftjob)[-_/](?:\S*\d\S*|[a-z]{12,})$/i

const isStoredAtProvider = (value: string): boolean => value.length <= 200 && storedId.test(value)

const isAddress = (value: string): boolean => /^\s*(?:[a-z][a-z0-9+.-]{0,20}:)?\/\/\S/i.test(value.slice(0, 60))
