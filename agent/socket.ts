import type { Log } from './log.ts'

/** Pauses between attempts to connect: they double from one to the other, less a random part. */
const pauses = { firstMs: 500, longestMs: 30_000 }
/** A connection that lasted this long resets the delays. */
const healthyMs = 60_000
/** An attempt that takes longer has failed. */
const openingMs = 10_000
/** API Gateway ends a connection that was silent for ten minutes. */
const pingMs = 9 * 60_000

interface SocketOptions {
  /** Null where there is no such address. */
  url: string | null
  /** The newest token, as the header has it. */
  bearer(): string
  /** A connection is open: what was sent before may be lost. `renewed` says that who asked for it sees to that. */
  connected(renewed: boolean): void
  /** There is none any more. */
  disconnected(): void
  message(text: string): void
  log: Log
}

/**
 * The machine's WebSocket: connects, and again whenever the connection ends. After a refusal the socket keeps trying:
 * only calls decide whether the machine is over.
 */
export class MachineSocket {
  readonly #options: SocketOptions
  #open: WebSocket | undefined
  #opening: Promise<boolean> | undefined
  #openedMs = 0
  #failures = 0
  #logged = false
  #closed = false

  constructor(options: SocketOptions) {
    this.#options = options
    if (options.url === null) this.#logOnce('there is no BERTH_SOCKET: asking for work by long polls')
    else void this.#connect(false)
  }

  /** Whether messages come; also while one connection makes way for the next. */
  get isConnected(): boolean {
    return this.#openedMs > 0
  }

  /** How long the connection has been open, ms; 0 without one. */
  get ageMs(): number {
    return this.#openedMs > 0 ? Date.now() - this.#openedMs : 0
  }

  /** False when it could not be sent. Sent text may not have arrived. */
  send(message: object): boolean {
    if (this.#open?.readyState !== WebSocket.OPEN) return false
    this.#open.send(JSON.stringify(message))
    return true
  }

  /** Opens another connection in the place of this one, before the gateway ends it; the service ends the older one. */
  async renew(): Promise<void> {
    await this.#connect(true)
  }

  /** Ends it for good. */
  close(): void {
    this.#closed = true
    this.#open?.close()
  }

  async #connect(renewed: boolean): Promise<void> {
    if (this.#opening || this.#closed) return
    this.#opening = this.#attempt(renewed).catch(() => false)
    const opened = await this.#opening
    this.#opening = undefined
    // The one before may have been ended meanwhile, or the new one already.
    if (!opened || this.#open?.readyState !== WebSocket.OPEN) this.#lost(opened ? 'closed' : 'refused')
  }

  async #attempt(renewed: boolean): Promise<boolean> {
    const { url, bearer, message } = this.#options
    // safe because Node's WebSocket takes headers, which the standard that its types follow does not know
    const init = { headers: { authorization: bearer() } } as unknown as string[]
    const socket = new WebSocket(url ?? '', init)
    socket.addEventListener('message', ({ data }) => message(String(data)))
    const opened = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), openingMs)
      const settle = (open: boolean) => {
        clearTimeout(timer)
        resolve(open)
      }
      socket.addEventListener('open', () => settle(true))
      socket.addEventListener('error', () => settle(false))
      socket.addEventListener('close', () => settle(false))
    })
    if (!opened) {
      socket.close()
      return false
    }
    this.#adopt(socket, renewed)
    return true
  }

  #adopt(socket: WebSocket, renewed: boolean): void {
    const before = this.#open
    this.#open = socket
    this.#openedMs = Date.now()
    this.#logged = false
    const sinceMs = Date.now()
    const ping = setInterval(() => socket.send('{"action":"ping"}'), pingMs)
    socket.addEventListener('close', ({ code }) => {
      clearInterval(ping)
      if (Date.now() - sinceMs >= healthyMs) this.#failures = 0
      if (this.#open !== socket) return
      this.#open = undefined
      if (!this.#opening) this.#lost(code)
    })
    // The service has ended it, or will; nothing that is on its way is cut off.
    setTimeout(() => before?.close(), openingMs).unref()
    this.#options.log('the socket is connected')
    this.#options.connected(renewed)
  }

  #lost(because: string | number): void {
    const wasConnected = this.isConnected
    // A renewal that failed leaves the connection that there is.
    const remains = this.#open?.readyState === WebSocket.OPEN
    if (!remains) this.#openedMs = 0
    if (!remains) this.#logOnce('the socket is not connected: asking for work by long polls', { because })
    const pauseMs = Math.min(pauses.firstMs * 2 ** this.#failures++, pauses.longestMs)
    if (!this.#closed) setTimeout(() => void this.#connect(false), pauseMs * (0.5 + Math.random() / 2))
    if (wasConnected && !remains) this.#options.disconnected()
  }

  #logOnce(message: string, facts?: Parameters<Log>[1]): void {
    if (!this.#logged) this.#options.log(message, facts)
    this.#logged = true
  }
}
