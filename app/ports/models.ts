import type { FormatName, PricedModel } from '../../domain/models/model.ts'
import type { Stops } from '../../domain/operator/stops.ts'
import type { Part } from './part.ts'

/** A returned promise delays the next chunk. */
export type OnChunk = (chunk: Uint8Array) => Promise<void> | undefined

export interface UpstreamResponse {
  status: number
  type: string
  /** The provider's Retry-After, ms; null without one. */
  retryAfterMs: number | null
  /**
   * Waits for the promises of `onChunk`, and resolves after the last byte.
   * @throws when the connection breaks before the end, or what `onChunk` throws, which closes the connection
   */
  read(onChunk: OnChunk): Promise<void>
  cancel(): void
}

/** The client's side of a response, a Node stream; it emits `close` before its end when the client leaves. */
export interface ResponseSink {
  readonly destroyed: boolean
  /** False when the client is slow: `drain` follows when it has taken the bytes. */
  write(bytes: Uint8Array): boolean
  end(): unknown
  destroy(): unknown
  on(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

export interface ModelRequest {
  format: FormatName
  body: string
  headers: Readonly<Record<string, string>>
  /** The query string with its `?`, or an empty string. */
  query: string
}

export interface Models {
  list(): Promise<PricedModel[]>
  /** By id, alias, or the provider's name for it. Null for a model that is unknown or has no price. */
  find(id: string): Promise<PricedModel | null>
  defaultModel(): Promise<PricedModel>
  /** A name for the user that reveals nothing and differs for each provider. */
  pseudonym(model: PricedModel, userId: string): Promise<string>
  /** One call to the provider with our key; sends the request unchanged. @throws provider-error without a connection */
  call(model: PricedModel, request: ModelRequest, signal: AbortSignal): Promise<UpstreamResponse>
}

/** Blocked models, providers and users, and fields and tool types that cost more than their price, with reasons. */
export interface Denied {
  fields: Record<string, string>
  stops: Stops
}

export interface Denials {
  /** At most `maxAgeMs` old, by default `stopsFreshMs`. */
  current(maxAgeMs?: number): Promise<{ fields: ReadonlySet<string>; stops: Stops }>
  find(): Promise<Denied & { revision: number }>
  /** False when another write came after `seen`. */
  save(denied: Denied, seen: { revision: number }, ...also: Part[]): Promise<boolean>
}
