import type { Usage } from './cost.ts'
import type { FormatName, PricedModel } from './model.ts'

/** A request of any format after its allow-list: what billing needs of it, and the body to send on. */
export interface ModelCall {
  format: FormatName
  /** As asked for; `default` when none is named. */
  model: string
  stream: boolean
  /** Answers asked for, each of which makes its own output. */
  choices: number
  /** UTF-8 bytes of the request without the data of its images: no tokenizer makes more tokens than bytes. */
  textBytes: number
  images: number
  /** Documents whose tokens only the model's context bounds. */
  files: number
  tools: boolean
  /** Output limit asked for, per choice; null when the caller left it open. */
  outputTokens: number | null
  /** The smallest output limit the format accepts for this request. */
  leastOutput: number
  /** True when only we asked for the stream's usage, so that the caller must not see it. */
  hidesUsage: boolean
  /** The allowed fields; model, limits and the user's name are written in by `buildRequest`. */
  fields: Readonly<Record<string, unknown>>
}

/** What one JSON object from the provider (an event's data, or the whole answer) means for billing. */
export interface ResponsePart {
  /** The kinds of token it reports; later reports replace earlier ones kind by kind, explicit zeros included. */
  usage: Partial<Usage> | null
  /** True when the report covers the whole call. */
  final: boolean
  /** UTF-8 bytes of output in it. */
  outputBytes: number
  /** The provider's own error: its text goes no further. */
  failed: boolean
  /** Nothing but the usage report. */
  onlyUsage: boolean
}

export const emptyPart: ResponsePart = { usage: null, final: false, outputBytes: 0, failed: false, onlyUsage: false }

/** One API format that the proxy accepts. A further format is one more of these. */
export interface ApiFormat {
  name: FormatName
  /** Paths below the API root that accept it. */
  paths: readonly `/${string}`[]
  /** @throws invalid-json, validation naming the field */
  parseRequest(rawBody: string): ModelCall
  /** The body for the provider, with our limits and a name for the user that means nothing outside. */
  buildRequest(call: ModelCall, model: PricedModel, outputTokens: number, user: string): string
  parseResponse(json: Readonly<Record<string, unknown>>): ResponsePart
  /** The SSE event that tells a client that the stream failed. */
  errorEvent: string
}

export const streamFailure = 'The model provider ended the stream early. Retry the call.'

export const utf8Length = (text: string): number => {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // a surrogate pair is two units and four bytes: two more than counted by length
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1
  }
  return bytes
}

/** UTF-8 bytes of those values that are text. */
export const textBytes = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? utf8Length(value) : 0), 0)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectsIn = (list: unknown): Record<string, unknown>[] =>
  Array.isArray(list) ? list.filter(isObject) : []

/** A token count as providers write it; null for anything that is not one. */
export const tokenCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
