import { secondMs } from '../../../../domain/time.ts'
import { holdTimers } from './virtual-timers.ts'

/** The resolution of the clock, in ms. */
export const tickMs = secondMs

/** The clock of the simulation: all events of one second happen at once. */
export class Clock {
  readonly #time: { nowMs: number }
  readonly #isQuiet: () => boolean
  readonly #state: () => string
  readonly #timers: ReturnType<typeof holdTimers>
  readonly #later = new Map<number, (() => unknown)[]>()
  #changed: () => void = () => {}

  /** @param isQuiet whether no work is left at this moment @param state a description of the work that is left */
  constructor(time: { nowMs: number }, isQuiet: () => boolean, state: () => string) {
    this.#time = time
    this.#isQuiet = isQuiet
    this.#state = state
    this.#timers = holdTimers(() => time.nowMs)
  }

  get nowMs(): number {
    return this.#time.nowMs
  }

  /** Moves to the next second, and starts its events. */
  tick(): unknown[] {
    this.#time.nowMs += tickMs
    this.#timers.runDue()
    const due = this.#later.get(this.nowMs) ?? []
    this.#later.delete(this.nowMs)
    return due.map((act) => act())
  }

  /** Moves without events. */
  jump(ms: number): void {
    this.#time.nowMs += ms
  }

  at(ms: number, act: () => unknown): void {
    const at = Math.ceil(Math.max(ms, this.nowMs + 1) / tickMs) * tickMs
    const acts = this.#later.get(at)
    if (acts) acts.push(act)
    else this.#later.set(at, [act])
  }

  /** Looks again whether it is quiet. */
  changed(): void {
    this.#changed()
  }

  /** Waits until no work is left at this moment of the clock. */
  async quiet(): Promise<void> {
    for (let calm = 0; calm < 3; ) {
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#isQuiet()) calm++
      else {
        calm = 0
        await this.#change()
      }
    }
  }

  /** Resolves at the next change. */
  #change(): Promise<void> {
    return this.inTime(
      new Promise<void>((resolve) => {
        this.#changed = resolve
      }),
    )
  }

  /** Fails a promise that takes a minute of real time, because it is stuck. */
  async inTime(doing: Promise<unknown>): Promise<void> {
    const { real } = this.#timers
    let stuck: NodeJS.Timeout | undefined
    const late = new Promise<void>((_, reject) => {
      stuck = real.setTimeout(() => reject(new Error(`nothing happens: ${this.#state()}`)), 60_000)
    })
    await Promise.race([doing, late]).finally(() => real.clearTimeout(stuck))
  }

  stop(): void {
    this.#timers.restore()
  }
}
