/** Users remembered at once; when there are more, those whose turn has come again are forgotten. */
const most = 10_000

/** Lets something be done at most once in a while for each user, as far as this process has seen. */
export class Seldom {
  readonly #everyMs: number
  readonly #last = new Map<string, number>()

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** True when the last `true` for this user is `everyMs` ago. */
  due(userId: string, nowMs: number): boolean {
    const last = this.#last.get(userId)
    if (last !== undefined && nowMs - last < this.#everyMs) return false
    if (this.#last.size >= most) this.#forget(nowMs)
    this.#last.set(userId, nowMs)
    return true
  }

  #forget(nowMs: number): void {
    for (const [userId, at] of this.#last) if (nowMs - at >= this.#everyMs) this.#last.delete(userId)
    if (this.#last.size >= most) this.#last.clear()
  }
}
