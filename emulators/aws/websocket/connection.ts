import type { WebSocket } from 'ws'
import type { ConnectionFacts } from './events.ts'

/** Quotas of API Gateway, in milliseconds and bytes. */
export const limits = {
  idleMs: 10 * 60_000,
  ageMs: 2 * 3_600_000,
  messageBytes: 128 * 1024,
  frameBytes: 32 * 1024,
  /** The maximum unread data of a client; AWS has such a limit but does not publish it. */
  unreadBytes: 1024 * 1024,
  /** How long a client may take to answer a close frame. */
  closeMs: 2000,
}

/** API Gateway's reason for an end that it caused, or for which the client gave no reason. */
const reasons: Record<number, string> = {
  1000: 'Connection Closed Normally',
  1001: 'Going away',
  1005: 'Client-side close frame status not set',
}

const closeCodes = new Map<unknown, number>([
  ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 1009],
  ['WS_ERR_INVALID_UTF8', 1007],
])

interface Listener {
  message(text: string): void
  /** Called once: the first caller of `cut`, or the client, gives the reason. */
  end(code: number, reason: string): void
}

export class Connection {
  readonly facts: ConnectionFacts
  readonly socket: WebSocket
  lastActiveAt = Date.now()
  readonly #limit: typeof limits
  readonly #listener: Listener
  readonly #idle: NodeJS.Timeout
  readonly #age: NodeJS.Timeout
  #isOpen = true

  constructor(facts: ConnectionFacts, socket: WebSocket, limit: typeof limits, listener: Listener) {
    this.facts = facts
    this.socket = socket
    this.#limit = limit
    this.#listener = listener
    this.#idle = setTimeout(() => this.cut(1001), limit.idleMs).unref()
    this.#age = setTimeout(() => this.cut(1001), limit.ageMs).unref()
    socket.on('message', (data: Buffer, binary: boolean) => this.#receive(data, binary))
    socket.on('close', (code, reason) => this.#end(code, reason.toString() || (reasons[code] ?? '')))
    // The server has sent its close frame by then.
    socket.on('error', (error) => this.#end(closeCodes.get('code' in error ? error.code : '') ?? 1002, ''))
  }

  write(data: Buffer): void {
    if (!this.#isOpen) return
    this.#touch()
    let from = 0
    do {
      const to = from + this.#limit.frameBytes
      this.socket.send(data.subarray(from, to), { binary: false, fin: to >= data.length })
      from = to
    } while (from < data.length)
  }

  cut(code: number, reason = reasons[code] ?? ''): void {
    this.socket.close(code, reason)
    setTimeout(() => this.socket.terminate(), this.#limit.closeMs).unref()
    this.#end(code, reason)
  }

  #receive(data: Buffer, binary: boolean): void {
    if (!this.#isOpen) return
    this.#touch()
    if (binary) this.cut(1003, 'Binary is not supported')
    else this.#listener.message(data.toString('utf8'))
  }

  #touch(): void {
    this.lastActiveAt = Date.now()
    this.#idle.refresh()
  }

  #end(code: number, reason: string): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    clearTimeout(this.#idle)
    clearTimeout(this.#age)
    this.#listener.end(code, reason)
  }
}
