/**
 * The service's functions as they run: many at once, each of which may die before or after any write, or find its store
 * failing.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { VirtualClock } from './clock.ts'

type Fate = 'crash-before' | 'crash-after' | 'fault-before' | 'fault-after'
const fates: readonly Fate[] = ['crash-before', 'crash-after', 'fault-before', 'fault-after']

/** One run of a function. */
export interface Run {
  what: string
  startedMs: number
  dead: boolean
  die: () => void
  /** Writes before its fault; below 0 it has no fault. */
  writesLeft: number
  fate: Fate
  /** One of its writes was not done, so nobody knows what the run knew. */
  lostWrite: boolean
  /** Messages that a platform has accepted and whose ids are not stored. */
  unrecorded: Map<string, () => void>
  /** Notes of the watching checks. */
  notes: Map<string, unknown>
}

const running = new AsyncLocalStorage<Run>()
export const currentRun = (): Run | undefined => running.getStore()

const never = <T>(): Promise<T> => new Promise<T>(() => {})

type Ended = 'done' | 'failed' | 'died'

export class Functions {
  readonly happened = { runs: 0, crashes: 0, faults: 0 }
  /** The percentage of runs with a fault. */
  troublePercent = 0
  /** Called after each run, however it ended. */
  ended: (run: Run) => void = () => {}
  readonly #clock: VirtualClock
  readonly #random: (below: number) => number

  constructor(clock: VirtualClock, random: (below: number) => number) {
    this.#clock = clock
    this.#random = random
  }

  /** Runs a function to its end, whatever that is. An error that it throws is passed to `failed`. */
  async run(what: string, act: () => Promise<unknown>, failed: (error: unknown) => void = () => {}): Promise<Ended> {
    this.happened.runs++
    const inTrouble = this.#random(100) < this.troublePercent
    let die: () => void = () => {}
    const died = new Promise<Ended>((resolve) => {
      die = () => resolve('died')
    })
    const run: Run = {
      what,
      startedMs: this.#clock.nowMs,
      dead: false,
      die,
      writesLeft: inTrouble ? this.#random(8) : -1,
      fate: fates[this.#random(fates.length)] ?? 'crash-before',
      lostWrite: false,
      unrecorded: new Map(),
      notes: new Map(),
    }
    const done = running.run(run, async (): Promise<Ended> => {
      try {
        await act()
        return 'done'
      } catch (error) {
        failed(error)
        return 'failed'
      }
    })
    const ended = await Promise.race([done, died])
    this.ended(run)
    return ended
  }

  /** One request to the store, within the run that makes it. @param told reaches the streams once it is written */
  async request<T>(
    writes: boolean,
    send: () => Promise<T>,
    told: (result: T, run: Run | undefined) => void,
  ): Promise<T> {
    const run = currentRun()
    if (run?.dead) return never()
    const fate = run && writes && run.writesLeft >= 0 && run.writesLeft-- === 0 ? run.fate : null
    if (run && fate?.endsWith('-before')) run.lostWrite = true
    if (fate === 'crash-before') return this.#crash(run)
    if (fate === 'fault-before') throw this.#fault()
    // Concurrent runs interleave their requests.
    for (let turns = this.#random(4); turns > 1; turns--) await null
    if (run?.dead) return never()
    this.#clock.pending++
    try {
      const result = await send()
      told(result, run)
      if (fate === 'crash-after') return this.#crash(run)
      if (fate === 'fault-after') throw this.#fault()
      return result
    } finally {
      this.#clock.pending--
    }
  }

  /** A call to something other than the store: it continues only while its run lives. */
  async outside<T>(act: () => Promise<T>): Promise<T> {
    const run = currentRun()
    if (run?.dead) return never()
    return act()
  }

  #crash<T>(run: Run | undefined | null): Promise<T> {
    this.happened.crashes++
    if (run) run.dead = true
    run?.die()
    return never()
  }

  #fault(): Error {
    this.happened.faults++
    return new Error('the store does not answer')
  }
}
