import { leaseMs } from '../kit/limits.ts'

/** Minimum interval between renewals of a lease. */
const renewMs = 60_000
/** A prompt whose lease lapsed this often without being handed out again counts as closed. */
const mostLapses = 3

interface Held {
  leasedMs: number
  /** The runtime made progress since the last renewal. */
  progressed: boolean
  lapses: number
}

export class HeldPrompts {
  readonly #held = new Map<string, Held>()

  get count(): number {
    return this.#held.size
  }

  has(promptId: string): boolean {
    return this.#held.has(promptId)
  }

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

  /** Frees the prompts of a dead runtime; the next runtime may continue them. */
  release(): void {
    for (const held of this.#held.values()) held.leasedMs = Date.now() - leaseMs
  }

  /** The prompts whose leases need renewal; call `renewed` afterwards. */
  due(): string[] {
    const nowMs = Date.now()
    return [...this.#held].flatMap(([id, held]) => (held.progressed && nowMs - held.leasedMs >= renewMs ? [id] : []))
  }

  renewed(promptId: string): void {
    const held = this.#held.get(promptId)
    if (held) Object.assign(held, { leasedMs: Date.now(), progressed: false, lapses: 0 })
  }

  /** End of the first lease, ms since 1970; null without leases. */
  get lapseMs(): number | null {
    const ends = [...this.#held.values()].map(({ leasedMs }) => leasedMs + leaseMs)
    return ends.length > 0 ? Math.min(...ends) : null
  }

  /** True once for each lapsed lease, whose prompt is handed out again. */
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
