/** Remembered keys; the oldest one is forgotten first. */
const maxKeys = 10_000

/** Lets an action through once per interval and key; knows only this process. */
export class Throttle {
  readonly #everyMs: number
  readonly #last = new Map<string, number>()

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** True when the last `true` for this key is `everyMs` ago. */
  due(key: string, nowMs: number): boolean {
    const last = this.#last.get(key)
    if (last !== undefined && nowMs - last < this.#everyMs) return false
    this.#last.delete(key)
    this.#last.set(key, nowMs)
    if (this.#last.size > maxKeys) this.#last.delete(this.#last.keys().next().value ?? '')
    return true
  }
}
