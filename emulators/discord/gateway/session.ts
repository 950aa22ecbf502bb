/** A session of the gateway: what was sent in it, so that it can be resumed. */
import type { WebSocket } from 'ws'

export const opcodes = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const

interface Dispatch {
  t: string
  d: unknown
  s: number
}

/** How many events are kept for who comes back. */
const kept = 1_000

export class Session {
  readonly id: string
  /** Bits of what it wants to hear. */
  readonly intents: number
  socket: WebSocket | null
  #sent: Dispatch[] = []
  #sequence = 0

  constructor(id: string, intents: number, socket: WebSocket) {
    this.id = id
    this.intents = intents
    this.socket = socket
  }

  dispatch(t: string, d: unknown): void {
    this.#sequence += 1
    const event = { t, d, s: this.#sequence }
    this.#sent = [...this.#sent.slice(1 - kept), event]
    this.#send(event)
  }

  /** Sends what came after `sequence`; false when that is not known. */
  resume(socket: WebSocket, sequence: number): boolean {
    const first = this.#sent[0]?.s ?? 1
    if (sequence > this.#sequence || sequence < first - 1) return false
    this.socket = socket
    for (const event of this.#sent.filter(({ s }) => s > sequence)) this.#send(event)
    this.dispatch('RESUMED', {})
    return true
  }

  #send(event: Dispatch): void {
    this.socket?.send(JSON.stringify({ op: opcodes.dispatch, ...event }))
  }
}
