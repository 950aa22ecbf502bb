import type { DomainError } from '../errors.ts'
import type { ReportedUsage } from './cost.ts'
import type { FormatName, PricedModel } from './model.ts'
import type { VendorError } from './vendor-errors.ts'

/** A request of any format: what billing needs of it, and the body to send on. */
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
  /** Searches of the web that the provider may make, each at a price. */
  searches: number
  /** Output limit asked for, per choice; null when the caller left it open. */
  outputTokens: number | null
  /** The smallest output limit the provider accepts for this request. */
  leastOutput: number
  /** True when only we asked for the stream's usage, so that the caller must not see it. */
  hidesUsage: boolean
  /** The caller asks for a longer context than the model's usual one. */
  wideContext: boolean
  /** Some of the prompt is to be cached for an hour, which costs more than the usual five minutes. */
  hourCache: boolean
  /** All fields but those that are ours; model, limits and the user's name are written in by `buildRequest`. */
  fields: Readonly<Record<string, unknown>>
}

/** The billing meaning of one JSON object from the provider (an event's data, or the whole answer). */
export interface ResponsePart {
  /** The kinds of token it reports, so far. */
  usage: ReportedUsage | null
  /** True when the report covers the whole call. */
  final: boolean
  /** UTF-8 bytes of output in it. */
  outputBytes: number
  /** Searches of the web that it says were made, one by one, before the report of them all. */
  searches: number
  /** The provider's own error: its text goes no further. */
  failed: boolean
  /** Nothing but the usage report. */
  onlyUsage: boolean
  /** It is the last event of an answer, or all of it. */
  ended: boolean
  /** False for an object that the format does not know: its bytes are counted where they reach the client. */
  isKnown: boolean
  /** The provider says why its answer is over, or that it is. */
  finished: boolean
}

export const emptyPart: ResponsePart = {
  usage: null,
  final: false,
  outputBytes: 0,
  searches: 0,
  failed: false,
  onlyUsage: false,
  ended: false,
  isKnown: true,
  finished: false,
}

/** One API format that the proxy accepts. A further format is one more of these. */
export interface ApiFormat {
  name: FormatName
  /** Where a vendor's SDK asks for it, below the base URL it was given. */
  path: `/${string}`
  /** @throws invalid-json, validation naming the field */
  parseRequest(rawBody: string, headers?: Readonly<Record<string, string>>): ModelCall
  /** The body for the provider, with our limits and a name for the user that means nothing outside. */
  buildRequest(call: ModelCall, model: PricedModel, outputTokens: number, user: string): string
  /** Headers of the caller's that the provider gets as they came. */
  passedHeaders: readonly string[]
  /** An error as the vendor's own SDKs read it; `status` is that of its code. */
  showError(error: DomainError, status: number): VendorError
  parseResponse(json: Readonly<Record<string, unknown>>): ResponsePart
  /** Whether a whole answer has what its caller needs of one: no more, for many servers leave out the rest. */
  isAnswer(json: Readonly<Record<string, unknown>>): boolean
  /** The smallest output limit that providers accept. */
  leastOutput: number
  /** The SSE event that tells a client that the stream failed. */
  errorEvent: string
}

export const streamFailure = 'The model provider ended the stream early. Retry the call.'
