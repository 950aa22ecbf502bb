/** Users remembered at once; when there are more, the one whose turn was longest ago is forgotten. */
const maxUsers = 10_000

/** Lets something be done at most once in a while for each user, as far as this process has seen. */
export class Throttle {
  readonly #everyMs: number
  readonly #last = new Map<string, number>()

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** True when the last `true` for this user is `everyMs` ago. */
  due(userId: string, nowMs: number): boolean {
    const last = this.#last.get(userId)
    if (last !== undefined && nowMs - last < this.#everyMs) return false
    this.#last.delete(userId)
    this.#last.set(userId, nowMs)
    if (this.#last.size > maxUsers) this.#last.delete(this.#last.keys().next().value ?? '')
    return true
  }
}
