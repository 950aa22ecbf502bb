/** A clock on which every planned event happens at its time, one after another. */
export class VirtualClock {
  nowMs: number
  #order = 0
  readonly #heap: { at: number; order: number; act: () => void }[] = []
  /** Requests to a real store that have no answer yet. */
  pending = 0

  constructor(startMs: number) {
    this.nowMs = startMs
  }

  at(ms: number, act: () => void): void {
    const heap = this.#heap
    heap.push({ at: Math.max(ms, this.nowMs), order: this.#order++, act })
    let i = heap.length - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (!this.#isBefore(i, parent)) break
      this.#swap(i, parent)
      i = parent
    }
  }

  after(ms: number, act: () => void): void {
    this.at(this.nowMs + ms, act)
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  /** Runs the next event and everything that follows from it before time advances; false when nothing is left. */
  async step(): Promise<boolean> {
    const next = this.#pop()
    if (!next) return false
    this.nowMs = next.at
    next.act()
    do await new Promise((resolve) => setImmediate(resolve))
    while (this.pending > 0)
    return true
  }

  #pop() {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    heap[0] = last
    for (let i = 0; ; ) {
      let least = i
      for (const child of [2 * i + 1, 2 * i + 2]) if (child < heap.length && this.#isBefore(child, least)) least = child
      if (least === i) return first
      this.#swap(i, least)
      i = least
    }
  }

  #isBefore(i: number, j: number): boolean {
    const [a, b] = [this.#heap[i], this.#heap[j]]
    return a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.order < b.order))
  }

  #swap(i: number, j: number): void {
    const [a, b] = [this.#heap[i], this.#heap[j]]
    if (a && b) [this.#heap[i], this.#heap[j]] = [b, a]
  }
}
