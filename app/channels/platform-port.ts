import type { Chat, FileReference, Inbound, ReplyContext } from '../../domain/channels/inbound.ts'

/** The meaning of a platform's webhook request, once its sender is known. */
export type WebhookReading =
  /** The sender could not prove to be the platform, or the stage has no secret to check it with. */
  | { kind: 'refused'; why: string }
  /**
   * The events, none to many, and the body of the answer to the platform after all are stored; null for an empty one.
   */
  | { kind: 'inbound'; inbound: readonly Inbound[]; answer: Readonly<Record<string, unknown>> | null }

/** Where something is said: a chat, and what it answers there. */
export interface Destination {
  chat: Chat
  context: ReplyContext
}

export interface Button {
  /** Comes back as the `data` of a press; at most 64 bytes. */
  data: string
  label: string
}

/**
 * The text: Markdown (CommonMark, GitHub's tables) of at most `textCharacters`, which the platform's adapter converts.
 */
export interface Content {
  text: string
  buttons?: readonly Button[]
}

/**
 * A chat platform. Every call that fails throws a `PlatformError`; none is repeated by the adapter itself.
 */
export interface ChatPlatform {
  /** The information people need to find our bot there; null if the stage has no account there. */
  about(): Promise<{
    /** Our name there, such as `@berth_bot`. */
    name: string
    /** Where a person begins; `{code}` in it stands for a linking code. */
    startUrl: string
  } | null>
  /**
   * Reads a request to our webhook. Nothing of it is parsed before its sender is known. Header names are lower case.
   */
  read(request: { headers: Readonly<Record<string, string>>; rawBody: string }, nowMs: number): Promise<WebhookReading>
  /**
   * Sends a new message. @param key the same message under the same key is sent once, where the platform knows such
   * keys
   */
  send(to: Destination, content: Content, key: string): Promise<{ messageId: string }>
  /** Changes one of our messages to this content; repeating it has no further effect. */
  edit(to: Destination, messageId: string, content: Content): Promise<void>
  /** Shows how a reply grows, where the platform has a way of its own for that; else it is `send` and `edit`. */
  grow?(
    to: Destination,
    text: string,
    shown: { key: string; messageId: string | null; text: string },
  ): Promise<{
    /** The message it is, for the next time and for `edit`; null for a draft that is no message yet. */
    messageId: string | null
  }>
  /** Shows that the agent is at it. */
  typing(to: Destination): Promise<void>
  sendFile(
    to: Destination,
    file: { name: string; type: string; content: Uint8Array },
    key: string,
  ): Promise<{ messageId: string }>
  /**
   * The bytes of a file from the platform. @param maxBytes no more is read @throws PlatformError `refused` beyond that
   */
  fetchFile(chat: Chat, file: FileReference, maxBytes: number): Promise<Uint8Array>
  /**
   * The names by which people go there, by their ids, where messages have ids alone; those that are not found are left
   * out.
   */
  namesOf?(chat: Chat, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Whether this person owns or administers the group, as the platform sees it now. */
  ownsChat(chat: Chat, personId: string): Promise<boolean>
  /** Throws away what is kept to speak there, unless it came after `at`: what to do about a `removed` of that time. */
  forget?(chat: Chat, at: string): Promise<void>
}

/** Why a platform did not do it. */
export class PlatformError extends Error {
  /**
   * `rate-limited` and `unavailable`: try again, `retryAfterMs` at the earliest where it says so. `gone`: the chat, or
   * our place in it, is no more. `refused`: it will never do this.
   */
  readonly reason: 'rate-limited' | 'unavailable' | 'gone' | 'refused'
  readonly retryAfterMs: number | null

  /** @param message for the operator and the deliveries' list: no token, no text of a message */
  constructor(reason: PlatformError['reason'], message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'PlatformError'
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

/** The chat is no more, for it goes on under another id. */
export class ChatMovedError extends PlatformError {
  readonly to: string

  constructor(message: string, to: string) {
    super('gone', message)
    this.to = to
  }
}
