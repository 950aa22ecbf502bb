import type { FormatName, PricedModel } from '../../domain/models/model.ts'
import type { Stops } from '../../domain/operator/stops.ts'

/** Takes a chunk of a response; a promise asks to be waited for. */
export type OnChunk = (chunk: Uint8Array) => Promise<void> | undefined

/** The head of a provider's response, and its bytes as they come. */
export interface UpstreamResponse {
  status: number
  /** Its content type. */
  type: string
  /** How long it asks to be left alone, ms; null when it does not say. */
  retryAfterMs: number | null
  /**
   * Hands the bytes over as they come, waits for what `onChunk` asks it to wait for, and is done after the last.
   * @throws when the connection breaks before the end, or what `onChunk` throws, which lets the connection go
   */
  read(onChunk: OnChunk): Promise<void>
  /** Lets the connection go. */
  cancel(): void
}

/** The client's side of a response, a Node stream; it closes before its end when the client leaves. */
export interface ResponseSink {
  readonly destroyed: boolean
  /** False when the client is slow: `drain` tells when it has taken what was written. */
  write(bytes: Uint8Array): boolean
  end(): unknown
  destroy(): unknown
  on(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

/** The request to a provider. */
export interface ModelRequest {
  format: FormatName
  body: string
  headers: Readonly<Record<string, string>>
  /** The query string with its `?`, or nothing. */
  query: string
}

/** Model providers and prices. */
export interface Models {
  list(): Promise<PricedModel[]>
  /** By id, alias, or the name its provider knows it by. Null for a model that is unknown or has no price. */
  find(id: string): Promise<PricedModel | null>
  /** The model an instance without a choice of its own uses. */
  defaultModel(): Promise<PricedModel>
  /** A name for the user that means nothing outside and differs from provider to provider. */
  pseudonym(model: PricedModel, userId: string): Promise<string>
  /**
   * One call to the provider with our key. All of the request is sent as given. @throws provider-error without a
   * connection
   */
  call(model: PricedModel, request: ModelRequest, signal: AbortSignal): Promise<UpstreamResponse>
}

/**
 * The operators' blocks: fields and tool types of model calls that cost more than their price, each with its reason,
 * and blocked models, providers and users.
 */
export interface Denied {
  fields: Record<string, string>
  stops: Stops
}

export interface Denials {
  /** As of `maxAgeMs` ago at most, of `stopsFreshMs` unless said. */
  current(maxAgeMs?: number): Promise<{ fields: ReadonlySet<string>; stops: Stops }>
  find(): Promise<Denied & { revision: number }>
  /** False when it has changed since `seen` was read. */
  save(denied: Denied, seen: { revision: number }): Promise<boolean>
}
