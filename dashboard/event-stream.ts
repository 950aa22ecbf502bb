/** The account's events and growing replies, over one WebSocket for all tabs of a browser. */
import { BerthError } from '../clients/typescript/client.ts'
import type { Event as ServerEvent } from '../domain/chat/event.ts'
import type { ReaderMessage, TextPiece } from '../domain/socket/message.ts'
import { PartJoiner } from '../domain/socket/parts.ts'
import { berth, session } from './api/client.ts'
import { Heard } from './socket/heard.ts'
import { Link } from './socket/link.ts'

interface Handlers {
  onEvent(event: ServerEvent): void
  /** What is written so far of the reply that grows; null when none does. */
  onGrowing(text: string | null): void
  onConnected(open: boolean): void
  /** Something may have happened that no event will tell of. */
  onMissed(): void
}

export interface EventStream {
  /** Until when, ms since 1970, silence may mean that a reply was lost; 0 when none is awaited. */
  awaitReply(untilMs: number): void
  /** Closes it for good. */
  close(): void
}

/** What tabs tell each other: one that joins, its welcome by the tab with the connection, and what came over that. */
type Told =
  | { hello: string }
  | { welcome: string; open: boolean; texts: TextPiece[] }
  | { message: ReaderMessage }
  | { open: boolean; missed: boolean }
  | { awaitedUntilMs: number }

const hiddenMs = 60_000

/**
 * The account's events, for as long as this page is visible. The tabs of a browser share one connection, since each
 * counts against the service's limit: the one that holds the lock has it, and tells the others.
 */
export function followEvents(accountId: string, handlers: Handlers): EventStream {
  const tab = new Tab(`events ${accountId}`, handlers)
  let timer: ReturnType<typeof setTimeout> | undefined
  const followVisibility = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') tab.join()
    else timer = setTimeout(() => tab.leave(), hiddenMs)
  }
  tab.join()
  document.addEventListener('visibilitychange', followVisibility)
  return {
    awaitReply: (untilMs) => tab.awaitReply(untilMs),
    close() {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', followVisibility)
      tab.leave()
    },
  }
}

class Tab {
  readonly #name: string
  readonly #handlers: Handlers
  readonly #heard = new Heard()
  #resumedMs = 0
  #awaitedUntilMs = 0
  #connection: Connection | null = null
  #others: BroadcastChannel | null = null
  #left: AbortController | null = null

  constructor(name: string, handlers: Handlers) {
    this.#name = name
    this.#handlers = handlers
  }

  join(): void {
    if (this.#left) return
    const left = new AbortController()
    this.#left = left
    const id = crypto.randomUUID()
    const others = new BroadcastChannel(this.#name)
    this.#others = others
    others.onmessage = ({ data }: MessageEvent<Told>) => this.#hear(data, id)
    this.#tell({ hello: id })
    const lead = () =>
      new Promise<void>((done) => {
        this.#lead()
        left.signal.addEventListener('abort', () => done())
      })
    navigator.locks.request(this.#name, { signal: left.signal }, lead).catch(() => {}) // It left before its turn came.
  }

  leave(): void {
    if (!this.#left) return
    if (this.#connection) this.#resumedMs = this.#connection.link.resumedMs
    this.#connection?.end()
    this.#connection = null
    this.#left.abort()
    this.#left = null
    this.#others?.close()
    this.#others = null
  }

  awaitReply(untilMs: number): void {
    this.#awaitedUntilMs = untilMs
    if (this.#connection) this.#connection.act((link, nowMs) => link.awaitReply(untilMs, nowMs))
    else this.#tell({ awaitedUntilMs: untilMs })
  }

  /** The connection is this tab's now, until it leaves. */
  #lead(): void {
    const connection = new Connection(this.#heard, this.#resumedMs, {
      onMessage: (message) => {
        this.#tell({ message })
        this.#receive(message)
      },
      onOpened: (missed) => {
        this.#tell({ open: true, missed })
        this.#connected(true, missed)
      },
      onClosed: () => {
        this.#tell({ open: false, missed: false })
        this.#connected(false, false)
      },
    })
    this.#connection = connection
    connection.act((link, nowMs) => {
      link.awaitReply(this.#awaitedUntilMs, nowMs)
      link.connect(nowMs)
    })
  }

  #hear(told: Told, id: string): void {
    if (this.#connection) this.#serve(told, this.#connection)
    else if ('message' in told) this.#receive(told.message)
    else if ('welcome' in told && told.welcome === id) {
      this.#heard.reset()
      for (const text of told.texts) this.#receive({ type: 'text', ...text })
      this.#connected(told.open, true)
    } else if ('missed' in told) {
      if (told.missed) this.#heard.reset()
      this.#connected(told.open, told.missed)
    }
  }

  /** Does what another tab asks of the one with the connection. */
  #serve(told: Told, { link, act }: Connection): void {
    if ('hello' in told) this.#tell({ welcome: told.hello, open: link.isOpen, texts: this.#heard.texts })
    if ('awaitedUntilMs' in told) act((_, nowMs) => link.awaitReply(told.awaitedUntilMs, nowMs))
  }

  #receive(message: ReaderMessage): void {
    for (const event of this.#heard.receive(message)) this.#handlers.onEvent(event)
    // A tab that only listens is as complete as the one that tells it.
    if (message.type === 'resumed') this.#resumedMs = Date.now()
    this.#handlers.onGrowing(this.#heard.growing)
  }

  #connected(open: boolean, missed: boolean): void {
    this.#handlers.onConnected(open)
    if (missed) this.#handlers.onMissed()
  }

  #tell(told: Told): void {
    this.#others?.postMessage(told)
  }
}

interface ConnectionHandlers {
  onMessage(message: ReaderMessage): void
  onOpened(missed: boolean): void
  onClosed(): void
}

/** A link on the browser's WebSocket and clock. */
class Connection {
  readonly link: Link
  #socket: WebSocket | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(heard: Heard, resumedMs: number, handlers: ConnectionHandlers) {
    this.link = new Link(heard, resumedMs, {
      connect: () => this.#open(handlers),
      disconnect: () => this.#close(),
      send: (message) => this.#socket?.send(JSON.stringify(message)),
      askSession,
      opened: handlers.onOpened,
      closed: handlers.onClosed,
      random: Math.random,
    })
  }

  /** Every use of the link goes through here, so that its next time is kept. */
  readonly act = (use: (link: Link, nowMs: number) => void): void => {
    use(this.link, Date.now())
    clearTimeout(this.#timer)
    const { nextMs } = this.link
    if (nextMs !== null)
      this.#timer = setTimeout(() => this.act((link, nowMs) => link.tick(nowMs)), Math.max(nextMs - Date.now(), 0))
  }

  end(): void {
    this.#close()
    clearTimeout(this.#timer)
  }

  #open({ onMessage }: ConnectionHandlers): void {
    this.#close()
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/socket`)
    const joiner = new PartJoiner()
    socket.onopen = () => this.act((link, nowMs) => link.opened(nowMs))
    socket.onclose = () => this.act((link, nowMs) => link.closed(nowMs))
    socket.onmessage = ({ data }) => {
      const message = joiner.receive(String(data))
      if (!isMessage(message)) return
      onMessage(message)
      this.act((link, nowMs) => link.received(message, nowMs))
    }
    this.#socket = socket
  }

  #close(): void {
    const ended = this.#socket
    this.#socket = null
    if (ended) Object.assign(ended, { onopen: null, onmessage: null, onclose: null }).close()
  }
}

// safe because the service writes what has a type by this schema, and a type of a later version is nobody's here
const isMessage = (message: unknown): message is ReaderMessage =>
  typeof message === 'object' && message !== null && 'type' in message

function askSession(): void {
  berth.getSession().catch((thrown) => {
    if (thrown instanceof BerthError && thrown.code === 'unauthorized') session.dispatchEvent(new Event('signed-out'))
  })
}
