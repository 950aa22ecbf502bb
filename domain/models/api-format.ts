import type { DomainError } from '../errors.ts'
import type { ReportedUsage } from './cost.ts'
import type { FormatName, PricedModel } from './model.ts'
import type { VendorError } from './vendor-errors.ts'

/** The facts for billing, and the body to send on. */
export interface ModelCall {
  format: FormatName
  /** As requested; `default` when none is named. */
  model: string
  stream: boolean
  /** Requested answers, each with its own output. */
  choices: number
  /** UTF-8 bytes of the request without the data of its images: no tokenizer makes more tokens than bytes. */
  textBytes: number
  images: number
  /** Documents, whose tokens only the model's context bounds. */
  files: number
  tools: boolean
  /** Web searches that the provider may make, each at a price. */
  searches: number
  /** Requested output limit per choice; null when the caller left it open. */
  outputTokens: number | null
  /** The smallest output limit the provider accepts for this request. */
  leastOutput: number
  /** True when only we requested the stream's usage, so that the caller must not see it. */
  hidesUsage: boolean
  /** The caller requests a longer context than the model's usual one. */
  wideContext: boolean
  /** Part of the prompt is cached for an hour, which costs more than the usual five minutes. */
  hourCache: boolean
  /** The caller's fields; `buildRequest` adds model, limits and the user's name. */
  fields: Readonly<Record<string, unknown>>
}

/** The billing meaning of one JSON object from the provider (an event's data, or the whole answer). */
export interface ResponsePart {
  /** Reported kinds of token so far. */
  usage: ReportedUsage | null
  /** The report covers the whole call. */
  final: boolean
  /** UTF-8 bytes of output. */
  outputBytes: number
  /** Web searches reported one by one, before the report of all. */
  searches: number
  /** The provider's own error; its text goes no further. */
  failed: boolean
  /** Contains nothing but the usage report. */
  onlyUsage: boolean
  /** The last event of an answer, or the whole answer. */
  ended: boolean
  /** False for an object that the format does not know: its bytes are counted where they reach the client. */
  isKnown: boolean
  /** The provider says why its answer ended, or that it did. */
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

export interface ApiFormat {
  name: FormatName
  /** Where a vendor's SDK sends it, below the configured base URL. */
  path: `/${string}`
  /** @throws invalid-json, validation naming the field */
  parseRequest(rawBody: string, headers?: Readonly<Record<string, string>>): ModelCall
  /** @param user a name without a meaning outside */
  buildRequest(call: ModelCall, model: PricedModel, outputTokens: number, user: string): string
  /** Passed to the provider unchanged. */
  passedHeaders: readonly string[]
  /** An error in the form of the vendor's own SDKs; `status` is that of its code. */
  showError(error: DomainError, status: number): VendorError
  parseResponse(json: Readonly<Record<string, unknown>>): ResponsePart
  /** Requires only what the caller needs, for many servers leave out the rest. */
  isAnswer(json: Readonly<Record<string, unknown>>): boolean
  /** The smallest output limit that providers accept. */
  leastOutput: number
  /** The SSE event that tells a client that the stream failed. */
  errorEvent: string
}

export const streamFailure = 'The model provider ended the stream early. Retry the call.'
