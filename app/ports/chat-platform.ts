import type { Chat, FileReference, Inbound, ReplyContext } from '../../domain/channels/inbound.ts'

export type WebhookReading =
  /** The sender could not prove to be the platform, or the stage has no secret to check it with. */
  | { kind: 'refused'; why: string }
  /** The events, if any, and the response body once all are stored; null for an empty body. */
  | { kind: 'inbound'; inbound: readonly Inbound[]; answer: Readonly<Record<string, unknown>> | null }

export interface Destination {
  chat: Chat
  context: ReplyContext
}

export interface Button {
  /** Returned as the `data` of a press; at most 64 bytes. */
  data: string
  label: string
}

/** The text is Markdown (CommonMark, GitHub's tables) of at most `textCharacters`; the adapter converts it. */
export interface Content {
  text: string
  buttons?: readonly Button[]
}

/** A chat platform. Every failed call throws a `PlatformError`; the adapter does not retry. */
export interface ChatPlatform {
  /** How people find our bot; null if the stage has no account there. */
  about(): Promise<{
    /** The bot's name, such as `@berth_bot`. */
    name: string
    /** The address that starts a chat; `{code}` in it stands for a linking code. */
    startUrl: string
  } | null>
  /** Reads a webhook request. Nothing is parsed before its sender is proven. Header names are lower case. */
  read(request: { headers: Readonly<Record<string, string>>; rawBody: string }, nowMs: number): Promise<WebhookReading>
  /** Sends a new message. @param key idempotency key, on platforms that know such keys */
  send(to: Destination, content: Content, key: string): Promise<{ messageId: string }>
  /** Replaces the content of one of our messages; safe to repeat. */
  edit(to: Destination, messageId: string, content: Content): Promise<void>
  /** Shows a reply's progress, on platforms with their own way for it; elsewhere `send` and `edit` do. */
  grow?(
    to: Destination,
    text: string,
    shown: { key: string; messageId: string | null; text: string },
  ): Promise<{
    /** The message's id for the next call and for `edit`; null for a draft that is no message yet. */
    messageId: string | null
  }>
  typing(to: Destination): Promise<void>
  sendFile(
    to: Destination,
    file: { name: string; type: string; content: Uint8Array },
    key: string,
  ): Promise<{ messageId: string }>
  /** A file's bytes, of which at most `maxBytes` are read. @throws PlatformError `refused` for a larger file */
  fetchFile(chat: Chat, file: FileReference, maxBytes: number): Promise<Uint8Array>
  /** People's display names by id, on platforms whose messages hold only ids; unknown ids are omitted. */
  namesOf?(chat: Chat, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Whether the platform now lists this person as an owner or administrator of the group. */
  ownsChat(chat: Chat, personId: string): Promise<boolean>
  /** Deletes the credentials for this chat unless they are newer than `at`, the time of a `removed` event. */
  forget?(chat: Chat, at: string): Promise<void>
}

export class PlatformError extends Error {
  /** `gone`: the chat, or our membership, ended. `refused`: never retry. Otherwise, retry after `retryAfterMs`. */
  readonly reason: 'rate-limited' | 'unavailable' | 'gone' | 'refused'
  readonly retryAfterMs: number | null

  /** @param message for operators and the list of deliveries: no token, no text of a message */
  constructor(reason: PlatformError['reason'], message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'PlatformError'
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

/** The chat continues under another id. */
export class ChatMovedError extends PlatformError {
  readonly to: string

  constructor(message: string, to: string) {
    super('gone', message)
    this.to = to
  }
}
