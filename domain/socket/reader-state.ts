import type { Event } from '../chat/event.ts'
import { firstIdAt, timeOfId } from '../ids.ts'
import { secondMs } from '../time.ts'
import { addPiece, type GrowingText, missingFrom, noText } from './growing-text.ts'
import type { ReaderMessage, TextPiece } from './message.ts'

/** Before the complete part, events may be repeated for this long. */
const repeatsForMs = 60 * secondMs

const maxAnswered = 100

/** Delivers each event once, over all connections, with repeated and reordered messages. */
export class ReaderState {
  readonly #ids = new Set<string>()
  readonly #texts = new Map<string, GrowingText>()
  readonly #answered = new Set<string>()
  #upTo: string | null
  /** Events that a connection pushed before the earlier ones were complete; null once they are. */
  #early: Event[] | null = null

  /** @param upTo the event to begin after; null for a moment ago */
  constructor(upTo: string | null = null) {
    this.#upTo = upTo
  }

  /** Everything up to this event is complete, so a resume continues after it; null when unknown. */
  get upTo(): string | null {
    return this.#upTo
  }

  /** True until a new connection has sent the earlier events. */
  get isResuming(): boolean {
    return this.#early !== null
  }

  /** One piece per reply; the one that grew last is at the end. */
  get texts(): TextPiece[] {
    return [...this.#texts].map(([promptId, { draft, text }]) => ({ promptId, draft, from: 0, text }))
  }

  get missing(): Omit<TextPiece, 'text'>[] {
    return [...this.#texts].flatMap(([promptId, text]) => {
      const from = missingFrom(text)
      return from === null ? [] : [{ promptId, draft: text.draft, from }]
    })
  }

  /** A resume was sent over a new connection: its pushes wait for the resume's events. */
  connected(): void {
    this.#early = []
  }

  receive(message: ReaderMessage): { events: Event[]; grown: TextPiece | null } {
    switch (message.type) {
      case 'text':
        return { events: [], grown: this.#grow(message) }
      case 'events':
        if (!this.#early) return { events: this.#add(message.events), grown: null }
        this.#early.push(...message.events)
        return { events: [], grown: null }
      case 'resumed': {
        const events = this.#add((this.#early ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1)))
        this.#early = null
        this.#complete(message.upTo)
        return { events, grown: null }
      }
      default:
        return { events: [], grown: null } // A later service's message.
    }
  }

  /** Starts over: changes in the meantime are read, not pushed. Reported events stay known. */
  reset(): void {
    this.#texts.clear()
    this.#upTo = null
    this.#early = null
  }

  #add(events: readonly Event[]): Event[] {
    const added = events.filter(({ id }) => {
      if (this.#ids.has(id) || id < this.#oldest()) return false
      this.#ids.add(id)
      return true
    })
    for (const { type, data } of added)
      if ((type === 'message.sent' || type === 'prompt.closed') && typeof data.promptId === 'string')
        this.#answer(data.promptId)
    return added
  }

  /** The whole reply has arrived: later pieces of its text are ignored. */
  #answer(promptId: string): void {
    this.#texts.delete(promptId)
    this.#answered.add(promptId)
    for (const old of this.#answered) if (this.#answered.size > maxAnswered) this.#answered.delete(old)
  }

  #grow(piece: TextPiece): TextPiece | null {
    const { promptId, draft } = piece
    if (this.#answered.has(promptId)) return null
    const { held, grown } = addPiece(this.#texts.get(promptId) ?? noText, piece)
    this.#texts.delete(promptId) // So that the one that grew last is the last.
    this.#texts.set(promptId, held)
    return grown === '' ? null : { promptId, draft, from: held.text.length - grown.length, text: grown }
  }

  #complete(upTo: string): void {
    if (this.#upTo === null || this.#upTo < upTo) this.#upTo = upTo
    const oldest = this.#oldest()
    for (const id of this.#ids) if (id < oldest) this.#ids.delete(id)
  }

  /** Older events were already reported. */
  #oldest(): string {
    return this.#upTo === null ? '' : firstIdAt('evt', timeOfId(this.#upTo) - repeatsForMs)
  }
}
