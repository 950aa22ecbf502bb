import type { ClientMessage, ReaderMessage } from '../../domain/socket/message.ts'
import type { ReaderState } from '../../domain/socket/reader-state.ts'

export type SentMessage = Extract<ClientMessage, { action: 'resume' | 'missing' }> | { action: 'ping' }

/** Times are ms since 1970 and passed with each call, so that tests can set them. */
interface SocketActions {
  /** Opens a connection that replaces the previous one. */
  connect(): void
  /** Ends the connection and ignores its further messages. */
  disconnect(): void
  send(message: SentMessage): void
  /** Checks whether the session is over: a refused handshake does not say why. */
  checkSession(): void
  /** @param missed whether earlier changes have to be read, because no event will announce them */
  opened(missed: boolean): void
  closed(): void
  /** From 0 to 1. */
  random(): number
}

const firstPauseMs = 1_000
const longestPauseMs = 30_000
/** A connection that ended sooner counts as another failure. */
const lastingMs = 60_000
/** Timeout of a handshake or a resume. */
const answerMs = 20_000
/** API Gateway ends connections that are idle for 10 minutes, and all after 2 hours. */
const pingMs = 9 * 60_000
const renewMs = 110 * 60_000
const spreadMs = 5 * 60_000
/** How long a lost push may stay lost: each resume runs a function. */
const resumeMs = 20 * 60_000
/** After this silence an awaited reply may have been lost. */
const silenceMs = 60_000
/** Events older than this were missed rather than delayed; pages reload at once. */
const resumableMs = 60 * 60_000
/** Late text usually arrives by itself. */
const missingMs = 300
const missingAgainMs = 3_000

type Timer = 'connect' | 'answer' | 'ping' | 'renew' | 'resume' | 'silence' | 'missing'

/** Decides when to open, renew and resume the connection, and what to request. */
export class ReconnectingSocket {
  readonly #reader: ReaderState
  readonly #actions: SocketActions
  readonly #due = new Map<Timer, number>()
  #state: 'closed' | 'connecting' | 'open' = 'closed'
  #failures = 0
  #openedMs = 0
  #resumedMs: number
  #askedMs = 0
  #awaitedUntilMs = 0

  /** @param resumedMs when this page's events were last complete; 0 if never */
  constructor(reader: ReaderState, resumedMs: number, actions: SocketActions) {
    this.#reader = reader
    this.#resumedMs = resumedMs
    this.#actions = actions
  }

  /** When `tick` must be called next; null for never. */
  get nextMs(): number | null {
    return this.#due.size === 0 ? null : Math.min(...this.#due.values())
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  connect(nowMs: number): void {
    this.#due.clear()
    this.#state = 'connecting'
    this.#due.set('answer', nowMs + answerMs)
    this.#actions.connect()
  }

  opened(nowMs: number): void {
    this.#due.clear()
    this.#state = 'open'
    this.#openedMs = nowMs
    this.#due.set('ping', nowMs + pingMs)
    this.#due.set('renew', nowMs + renewMs - this.#actions.random() * spreadMs)
    this.#followSilence(nowMs)
    const missed = this.#reader.upTo === null || nowMs - this.#resumedMs > resumableMs
    if (missed) this.#reader.reset()
    this.#reader.connected()
    this.#actions.opened(missed)
    this.#resume(nowMs)
  }

  /** Also for a refused handshake. */
  closed(nowMs: number): void {
    const refused = this.#state === 'connecting'
    if (!refused && nowMs - this.#openedMs >= lastingMs) this.#failures = 0
    const pauseMs = Math.min(firstPauseMs * 2 ** this.#failures++, longestPauseMs)
    this.#due.clear()
    this.#state = 'closed'
    this.#due.set('connect', nowMs + pauseMs * (0.5 + this.#actions.random() / 2))
    this.#actions.closed()
    if (refused) this.#actions.checkSession()
  }

  /** Call this after the reader's state has received the message. */
  received({ type }: Pick<ReaderMessage, 'type'>, nowMs: number): void {
    if (type === 'resumed') {
      this.#due.delete('answer')
      this.#resumedMs = nowMs
    } else this.#followSilence(nowMs)
    if (this.#reader.missing.length === 0) this.#due.delete('missing')
    else if (!this.#due.has('missing')) this.#due.set('missing', nowMs + missingMs)
  }

  awaitReply(untilMs: number, nowMs: number): void {
    this.#awaitedUntilMs = untilMs
    this.#followSilence(nowMs)
  }

  tick(nowMs: number): void {
    for (const [timer, dueMs] of [...this.#due]) {
      // An earlier timer may have ended the others.
      if (dueMs > nowMs || this.#due.get(timer) !== dueMs) continue
      this.#due.delete(timer)
      this.#run(timer, nowMs)
    }
  }

  #run(timer: Timer, nowMs: number): void {
    switch (timer) {
      case 'connect':
        this.connect(nowMs)
        break
      case 'renew':
        this.#actions.disconnect()
        this.connect(nowMs)
        break
      case 'answer':
        this.#actions.disconnect()
        this.closed(nowMs)
        break
      case 'ping':
        this.#actions.send({ action: 'ping' })
        this.#due.set('ping', nowMs + pingMs)
        break
      case 'resume':
        this.#resume(nowMs)
        break
      case 'silence':
        if (nowMs < this.#awaitedUntilMs && nowMs - this.#askedMs >= silenceMs) this.#resume(nowMs)
        this.#followSilence(nowMs)
        break
      case 'missing':
        for (const missing of this.#reader.missing) this.#actions.send({ action: 'missing', ...missing })
        if (this.#reader.missing.length > 0) this.#due.set('missing', nowMs + missingAgainMs)
    }
  }

  #resume(nowMs: number): void {
    this.#askedMs = nowMs
    this.#due.set('answer', nowMs + answerMs)
    this.#due.set('resume', nowMs + resumeMs)
    this.#actions.send({ action: 'resume', after: this.#reader.upTo })
  }

  #followSilence(nowMs: number): void {
    if (this.isOpen && nowMs < this.#awaitedUntilMs) this.#due.set('silence', nowMs + silenceMs)
    else this.#due.delete('silence')
  }
}
