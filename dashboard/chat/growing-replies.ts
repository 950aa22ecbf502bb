import type { TextPiece } from '../../domain/socket/message.ts'

/** Growing replies; notifies the view at most once a frame. */
export class GrowingReplies {
  #texts: ReadonlyMap<string, string> = new Map()
  #shown = this.#texts
  #frame: number | null = null
  readonly #showers = new Set<() => void>()

  set(replies: readonly TextPiece[]): void {
    this.#texts = new Map(replies.map(({ promptId, text }) => [promptId, text]))
    this.#frame ??= requestAnimationFrame(this.#show)
  }

  /** The text as of the last frame; null for none. */
  readonly of = (promptId: string | null): string | null => this.#shown.get(promptId ?? '') || null

  readonly subscribe = (shower: () => void): (() => void) => {
    this.#showers.add(shower)
    return () => this.#showers.delete(shower)
  }

  readonly #show = (): void => {
    this.#frame = null
    this.#shown = this.#texts
    for (const shower of this.#showers) shower()
  }
}
