/** The text of a reply while it grows. Whoever shows it is told once a frame, however many pieces came. */
export class GrowingReply {
  #text: string | null = null
  #shown: string | null = null
  #frame: number | null = null
  readonly #showers = new Set<() => void>()

  set(text: string | null): void {
    this.#text = text
    if (text !== this.#shown) this.#frame ??= requestAnimationFrame(this.#show)
  }

  /** The text as of the last frame. */
  readonly shown = (): string | null => this.#shown

  readonly subscribe = (shower: () => void): (() => void) => {
    this.#showers.add(shower)
    return () => this.#showers.delete(shower)
  }

  readonly #show = (): void => {
    this.#frame = null
    this.#shown = this.#text
    for (const shower of this.#showers) shower()
  }
}
