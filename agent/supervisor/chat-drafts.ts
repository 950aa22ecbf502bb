import type { SentObservation } from '../../domain/agent/observation.ts'
import type { Prompt } from '../../domain/chat/message.ts'
import { cut } from '../kit/text.ts'

/** Minimum interval between two reports of one reply, ms. */
const paceMs = 1_000

/** Maximum length of a report: the first message of a platform holds no more. */
const maxDraftCharacters = 8_000

interface DraftOptions {
  textOf(promptId: string): string
  tell(observation: SentObservation): Promise<unknown>
}

/** Reports the beginnings of replies that go to chats of other platforms. */
export class ChatDrafts {
  readonly #options: DraftOptions
  readonly #sent = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: DraftOptions) {
    this.#options = options
  }

  begin({ id, channel }: Pick<Prompt, 'id' | 'channel'>): void {
    if (channel !== 'web') this.#sent.set(id, '')
  }

  forget(promptId: string): void {
    this.#sent.delete(promptId)
  }

  grew(promptId: string): void {
    if (this.#sent.has(promptId)) this.#timer ??= setTimeout(() => void this.#tellAll(), paceMs)
  }

  #textOf(promptId: string): string {
    return cut(this.#options.textOf(promptId), maxDraftCharacters)
  }

  async #tellAll(): Promise<void> {
    for (const [promptId, sent] of this.#sent) {
      const text = this.#textOf(promptId)
      if (text === sent || text.trim() === '') continue
      this.#sent.set(promptId, text)
      // A lost report needs no retry: the next report or the reply replaces it.
      await this.#options.tell({ kind: 'draft', promptId, text }).catch(() => {})
    }
    this.#timer = undefined
    for (const [promptId, sent] of this.#sent) if (this.#textOf(promptId) !== sent) return this.grew(promptId)
  }
}
