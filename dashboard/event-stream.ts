/** The account's events and growing replies, over one WebSocket for all tabs of a browser. */
import { BerthError } from '../clients/typescript/client.ts'
import type { Event as ServerEvent } from '../domain/chat/event.ts'
import { firstIdAt } from '../domain/ids.ts'
import type { ReaderMessage, TextPiece } from '../domain/socket/message.ts'
import { PartJoiner } from '../domain/socket/parts.ts'
import { ReaderState } from '../domain/socket/reader-state.ts'
import { secondMs } from '../domain/time.ts'
import { answeredSinceMs, berth, session } from './data/client.ts'
import { ReconnectingSocket } from './data/reconnecting-socket.ts'

interface Handlers {
  onEvent(event: ServerEvent): void
  /** The growing replies, each with its text so far. */
  onGrowing(replies: readonly TextPiece[]): void
  onConnected(open: boolean): void
  /** Changes may have happened without an event. */
  onMissed(): void
}

export interface EventStream {
  /** Until this time, ms since 1970, silence may mean a lost reply; 0 when none is awaited. */
  awaitReply(untilMs: number): void
  close(): void
}

/** Messages between tabs: a joining tab, the welcome from the tab with the connection, and the received events. */
type TabMessage =
  | { hello: string }
  | { welcome: string; open: boolean; texts: TextPiece[] }
  | { message: ReaderMessage }
  | { open: boolean; missed: boolean }
  | { awaitedUntilMs: number }

const hiddenMs = 60_000

/**
 * The account's events while this page is visible. Tabs share one connection, because each counts against the service's
 * limit: the tab with the lock connects and tells the others.
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
  readonly #reader: ReaderState
  #resumedMs: number
  #awaitedUntilMs = 0
  #connection: Connection | null = null
  #others: BroadcastChannel | null = null
  #left: AbortController | null = null

  constructor(name: string, handlers: Handlers) {
    this.#name = name
    this.#handlers = handlers
    // Everything shown was read after this time, so later changes arrive as events and need no reload.
    const sinceMs = answeredSinceMs()
    this.#reader = new ReaderState(sinceMs === null ? null : firstIdAt('evt', sinceMs - secondMs))
    this.#resumedMs = sinceMs === null ? 0 : Date.now()
  }

  join(): void {
    if (this.#left) return
    const left = new AbortController()
    this.#left = left
    const id = crypto.randomUUID()
    const others = new BroadcastChannel(this.#name)
    this.#others = others
    others.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#receiveFromTab(data, id)
    this.#broadcast({ hello: id })
    const lead = () =>
      new Promise<void>((done) => {
        this.#lead()
        left.signal.addEventListener('abort', () => done())
      })
    navigator.locks.request(this.#name, { signal: left.signal }, lead).catch(() => {}) // It left before its turn came.
  }

  leave(): void {
    if (!this.#left) return
    this.#connection?.end()
    this.#connection = null
    this.#left.abort()
    this.#left = null
    this.#others?.close()
    this.#others = null
  }

  awaitReply(untilMs: number): void {
    this.#awaitedUntilMs = untilMs
    if (this.#connection) this.#connection.act((socket, nowMs) => socket.awaitReply(untilMs, nowMs))
    else this.#broadcast({ awaitedUntilMs: untilMs })
  }

  /** Connects for all tabs, until this tab leaves. */
  #lead(): void {
    const connection = new Connection(this.#reader, this.#resumedMs, {
      onMessage: (message) => {
        this.#broadcast({ message })
        this.#receive(message)
      },
      onOpened: (missed) => {
        this.#broadcast({ open: true, missed })
        this.#connected(true, missed)
      },
      onClosed: () => {
        this.#broadcast({ open: false, missed: false })
        this.#connected(false, false)
      },
    })
    this.#connection = connection
    connection.act((socket, nowMs) => {
      socket.awaitReply(this.#awaitedUntilMs, nowMs)
      socket.connect(nowMs)
    })
  }

  #receiveFromTab(sent: TabMessage, id: string): void {
    if (this.#connection) this.#serve(sent, this.#connection)
    else if ('message' in sent) this.#receive(sent.message)
    else if ('welcome' in sent && sent.welcome === id) {
      this.#reader.reset()
      for (const text of sent.texts) this.#receive({ type: 'text', ...text })
      this.#connected(sent.open, true)
    } else if ('missed' in sent) {
      if (sent.missed) this.#reader.reset()
      this.#connected(sent.open, sent.missed)
    }
  }

  #serve(sent: TabMessage, { socket, act }: Connection): void {
    if ('hello' in sent) this.#broadcast({ welcome: sent.hello, open: socket.isOpen, texts: this.#reader.texts })
    if ('awaitedUntilMs' in sent) act((_, nowMs) => socket.awaitReply(sent.awaitedUntilMs, nowMs))
  }

  #receive(message: ReaderMessage): void {
    for (const event of this.#reader.receive(message).events) this.#handlers.onEvent(event)
    // Listening tabs count as resumed too: they know as much as the connected one.
    if (message.type === 'resumed') this.#resumedMs = Date.now()
    this.#handlers.onGrowing(this.#reader.texts)
  }

  #connected(open: boolean, missed: boolean): void {
    this.#handlers.onConnected(open)
    if (missed) this.#handlers.onMissed()
  }

  #broadcast(message: TabMessage): void {
    this.#others?.postMessage(message)
  }
}

interface ConnectionHandlers {
  onMessage(message: ReaderMessage): void
  onOpened(missed: boolean): void
  onClosed(): void
}

class Connection {
  readonly socket: ReconnectingSocket
  #webSocket: WebSocket | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(reader: ReaderState, resumedMs: number, handlers: ConnectionHandlers) {
    this.socket = new ReconnectingSocket(reader, resumedMs, {
      connect: () => this.#open(handlers),
      disconnect: () => this.#close(),
      send: (message) => this.#webSocket?.send(JSON.stringify(message)),
      checkSession,
      opened: handlers.onOpened,
      closed: handlers.onClosed,
      random: Math.random,
    })
  }

  /** Every use of the socket goes through here, to update its timer. */
  readonly act = (use: (socket: ReconnectingSocket, nowMs: number) => void): void => {
    use(this.socket, Date.now())
    clearTimeout(this.#timer)
    const { nextMs } = this.socket
    if (nextMs !== null)
      this.#timer = setTimeout(() => this.act((socket, nowMs) => socket.tick(nowMs)), Math.max(nextMs - Date.now(), 0))
  }

  end(): void {
    this.#close()
    clearTimeout(this.#timer)
  }

  #open({ onMessage }: ConnectionHandlers): void {
    this.#close()
    const webSocket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/socket`)
    const joiner = new PartJoiner()
    webSocket.onopen = () => this.act((socket, nowMs) => socket.opened(nowMs))
    webSocket.onclose = () => this.act((socket, nowMs) => socket.closed(nowMs))
    webSocket.onmessage = ({ data }) => {
      const message = joiner.receive(String(data))
      if (!isMessage(message)) return
      onMessage(message)
      this.act((socket, nowMs) => socket.received(message, nowMs))
    }
    this.#webSocket = webSocket
  }

  #close(): void {
    const ended = this.#webSocket
    this.#webSocket = null
    if (ended) Object.assign(ended, { onopen: null, onmessage: null, onclose: null }).close()
  }
}

// safe because the service writes messages with a type by this schema, and unknown types are ignored
const isMessage = (message: unknown): message is ReaderMessage =>
  typeof message === 'object' && message !== null && 'type' in message

function checkSession(): void {
  berth.getSession().catch((thrown) => {
    if (thrown instanceof BerthError && thrown.code === 'unauthorized') session.dispatchEvent(new Event('signed-out'))
  })
}
