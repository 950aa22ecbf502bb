import { leaseMs } from './limits.ts'

/** Its lease is prolonged at most this often. */
const renewMs = 60_000
/** A prompt whose lease ran out this often without its being handed out again is not open any more. */
const mostLapses = 3

interface Held {
  leasedMs: number
  /** The runtime said something of it that the lease does not count yet. */
  progressed: boolean
  lapses: number
}

/** The prompts that the runtime has, and their leases. */
export class HeldPrompts {
  readonly #held = new Map<string, Held>()

  get count(): number {
    return this.#held.size
  }

  has(promptId: string): boolean {
    return this.#held.has(promptId)
  }

  /** One that was handed out now, again perhaps. */
  add(promptId: string): void {
    this.#held.set(promptId, { leasedMs: Date.now(), progressed: false, lapses: 0 })
  }

  close(promptId: string): void {
    this.#held.delete(promptId)
  }

  progress(promptId: string): void {
    const held = this.#held.get(promptId)
    if (held) held.progressed = true
  }

  /** The runtime has died: what it had is free, though the next one may go on with it. */
  release(): void {
    for (const held of this.#held.values()) held.leasedMs = Date.now() - leaseMs
  }

  /** Prompts whose lease is to be prolonged; `renewed` says that it was. */
  due(): string[] {
    const nowMs = Date.now()
    return [...this.#held].flatMap(([id, held]) => (held.progressed && nowMs - held.leasedMs >= renewMs ? [id] : []))
  }

  renewed(promptId: string): void {
    const held = this.#held.get(promptId)
    if (held) Object.assign(held, { leasedMs: Date.now(), progressed: false, lapses: 0 })
  }

  /** When the first lease runs out, ms since 1970; null without any. */
  get lapseMs(): number | null {
    const ends = [...this.#held.values()].map(({ leasedMs }) => leasedMs + leaseMs)
    return ends.length > 0 ? Math.min(...ends) : null
  }

  /** Whether a lease has run out, so that its prompt is handed out again; told once a lease. */
  lapsed(): boolean {
    const nowMs = Date.now()
    let any = false
    for (const [id, held] of this.#held) {
      if (nowMs < held.leasedMs + leaseMs) continue
      any = true
      Object.assign(held, { leasedMs: nowMs, lapses: held.lapses + 1 })
      if (held.lapses >= mostLapses) this.#held.delete(id)
    }
    return any
  }
}
