import type { SentObservation } from '../domain/agent/observation.ts'
import type { Prompt } from '../domain/chat/message.ts'
import { cut } from './text.ts'

/** Least time between two reports of one reply, ms: no platform shows more. */
const paceMs = 1_000

/** Characters that are reported: the first message that a platform shows has no more. */
const maxDraftCharacters = 8_000

interface DraftOptions {
  /** The reply so far. */
  textOf(promptId: string): string
  tell(observation: SentObservation): Promise<unknown>
}

/** How replies begin that go to a chat of another platform, reported at the pace at which it is shown there. */
export class ChatDrafts {
  readonly #options: DraftOptions
  /** The last reported text of each reply. */
  readonly #told = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: DraftOptions) {
    this.#options = options
  }

  begin({ id, channel }: Pick<Prompt, 'id' | 'channel'>): void {
    if (channel !== 'web') this.#told.set(id, '')
  }

  forget(promptId: string): void {
    this.#told.delete(promptId)
  }

  grew(promptId: string): void {
    if (this.#told.has(promptId)) this.#timer ??= setTimeout(() => void this.#tellAll(), paceMs)
  }

  #textOf(promptId: string): string {
    return cut(this.#options.textOf(promptId), maxDraftCharacters)
  }

  async #tellAll(): Promise<void> {
    for (const [promptId, told] of this.#told) {
      const text = this.#textOf(promptId)
      if (text === told || text.trim() === '') continue
      this.#told.set(promptId, text)
      // A report that is lost is followed by another, or by the reply itself.
      await this.#options.tell({ kind: 'draft', promptId, text }).catch(() => {})
    }
    this.#timer = undefined
    for (const [promptId, told] of this.#told) if (this.#textOf(promptId) !== told) return this.grew(promptId)
  }
}
