import type { Log } from '../kit/log.ts'

/** Delays between attempts to connect: they double, less a random part. */
const pauses = { firstMs: 500, longestMs: 30_000 }
/** After this time the delays are reset. */
const healthyMs = 60_000
const openingMs = 10_000
/** API Gateway ends a connection after ten silent minutes. */
const pingMs = 9 * 60_000

interface SocketOptions {
  /** Null if the service has no WebSocket. */
  url: string | null
  bearer(): string
  /** A connection is open; sent messages may be lost unless it was `renewed`, whose caller handles that. */
  connected(renewed: boolean): void
  disconnected(): void
  message(text: string): void
  log: Log
}

/** The machine's WebSocket, always reconnected, even after a refusal: only calls decide whether the machine is over. */
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

  /** True also while one connection replaces another. */
  get isConnected(): boolean {
    return this.#openedMs > 0
  }

  /** Age of the connection, ms; 0 without one. */
  get ageMs(): number {
    return this.#openedMs > 0 ? Date.now() - this.#openedMs : 0
  }

  /** @returns false if the message could not be sent; true does not mean that it arrived */
  send(message: object): boolean {
    if (this.#open?.readyState !== WebSocket.OPEN) return false
    this.#open.send(JSON.stringify(message))
    return true
  }

  /** Replaces the connection before the gateway ends it; the service closes the older one. */
  async renew(): Promise<void> {
    await this.#connect(true)
  }

  close(): void {
    this.#closed = true
    this.#open?.close()
  }

  async #connect(renewed: boolean): Promise<void> {
    if (this.#opening || this.#closed) return
    this.#opening = this.#attempt(renewed).catch(() => false)
    const opened = await this.#opening
    this.#opening = undefined
    // The old connection may have ended meanwhile, or the new one already has.
    if (!opened || this.#open?.readyState !== WebSocket.OPEN) this.#lost(opened ? 'closed' : 'refused')
  }

  async #attempt(renewed: boolean): Promise<boolean> {
    const { url, bearer, message } = this.#options
    // safe because Node's WebSocket takes headers, which its types (of the web standard) omit
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
    // Messages under way still arrive on the old connection.
    setTimeout(() => before?.close(), openingMs).unref()
    this.#options.log('the socket is connected')
    this.#options.connected(renewed)
  }

  #lost(because: string | number): void {
    const wasConnected = this.isConnected
    // A failed renewal keeps the old connection.
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
