import type { Event as ServerEvent } from '../../domain/chat/event.ts'
import { firstIdAt, timeOfId } from '../../domain/ids.ts'
import { addPiece, type GrowingText, missingFrom, noText } from '../../domain/socket/growing-text.ts'
import type { ReaderMessage, TextPiece } from '../../domain/socket/message.ts'

/** How far before what is complete an event may still come a second time. */
const lateMs = 60_000

/** Prompts of which it is remembered that their reply is there. */
const maxAnswered = 100

/** What a page has heard, whatever came twice or in another order: each event once, and the replies that grow. */
export class Heard {
  readonly #ids = new Set<string>()
  readonly #texts = new Map<string, GrowingText>()
  readonly #answered = new Set<string>()
  #after: string | null = null

  /** Up to here nothing is missing; a resume goes on after it. The newest event alone may have overtaken a lost one. */
  get after(): string | null {
    return this.#after
  }

  /** What is written so far of the reply that grew last; null when none grows. */
  get growing(): string | null {
    return [...this.#texts.values()].at(-1)?.text || null
  }

  /** The replies so far, each in one piece. */
  get texts(): TextPiece[] {
    return [...this.#texts].map(([promptId, { draft, text }]) => ({ promptId, draft, from: 0, text }))
  }

  /** The texts of which a part between has not come. */
  get missing(): Omit<TextPiece, 'text'>[] {
    return [...this.#texts].flatMap(([promptId, held]) => {
      const from = missingFrom(held)
      return from === null ? [] : [{ promptId, draft: held.draft, from }]
    })
  }

  /** @returns the events of it that are new */
  receive(message: ReaderMessage): ServerEvent[] {
    if (message.type === 'text') this.#grow(message)
    if (message.type === 'resumed') this.#complete(message.upTo)
    return message.type === 'events' ? message.events.filter((event) => this.#take(event)) : []
  }

  /** Begins anew: what happened meanwhile is read, not heard. What was heard stays known. */
  reset(): void {
    this.#texts.clear()
    this.#after = null
  }

  #take({ id, type, data }: ServerEvent): boolean {
    if (this.#ids.has(id) || id < this.#forgotten()) return false
    this.#ids.add(id)
    if ((type === 'message.sent' || type === 'prompt.closed') && typeof data.promptId === 'string')
      this.#answer(data.promptId)
    return true
  }

  #answer(promptId: string): void {
    this.#texts.delete(promptId)
    this.#answered.add(promptId)
    for (const old of this.#answered) if (this.#answered.size > maxAnswered) this.#answered.delete(old)
  }

  #grow(piece: TextPiece): void {
    const { promptId } = piece
    if (this.#answered.has(promptId)) return
    const { held } = addPiece(this.#texts.get(promptId) ?? noText, piece)
    this.#texts.delete(promptId) // So that the one that grew last is the last.
    this.#texts.set(promptId, held)
  }

  #complete(upTo: string): void {
    if (this.#after === null || this.#after < upTo) this.#after = upTo
    const oldest = this.#forgotten()
    for (const id of this.#ids) if (id < oldest) this.#ids.delete(id)
  }

  /** Whatever is older has been heard. */
  #forgotten(): string {
    return this.#after === null ? '' : firstIdAt('evt', timeOfId(this.#after) - lateMs)
  }
}
