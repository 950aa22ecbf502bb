import type { Format, PricedModel } from './model.ts'

/** Takes a part of an answer; a promise asks to be waited for. */
export type Take = (chunk: Uint8Array) => Promise<void> | undefined

/** The head of a provider's answer, and its bytes as they come. */
export interface UpstreamAnswer {
  status: number
  /** Its content type. */
  type: string
  /** How long it asks to be left alone, ms; null when it does not say. */
  retryAfterMs: number | null
  /**
   * Hands the bytes over as they come, waits for what `take` asks it to wait for, and is done after the last.
   * @throws when the connection breaks before the end, or what `take` throws, which lets the connection go
   */
  read(take: Take): Promise<void>
  /** Lets the connection go. */
  drop(): void
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
  /** One call to the provider with our key. The body is sent as given. @throws provider-error without a connection */
  call(
    model: PricedModel,
    format: Format,
    body: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<UpstreamAnswer>
}
