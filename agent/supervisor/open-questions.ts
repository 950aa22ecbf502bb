import type { Question } from '../../domain/chat/question.ts'
import type { Answer } from '../kit/service.ts'
import { waitFor } from '../kit/wait-for.ts'

/** Interval for reading an open question in case its notice is lost, ms. */
const askMs = 60_000

interface QuestionsOptions {
  find(id: string): Promise<Answer<{ question: Question }>>
  /** A runtime waits for an answer on behalf of a prompt. */
  waiting(promptId: string): void
}

export class OpenQuestions {
  readonly #options: QuestionsOptions
  #change = Promise.withResolvers<void>()

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  answered(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  /** Resolves when the question is answered or expired, the time is up, or `left` is raised. */
  async find(id: string, waitMs: number, left: AbortSignal): Promise<Answer<{ question: Question }>> {
    for (const untilMs = Date.now() + waitMs; ; ) {
      const { promise } = this.#change
      const answer = await this.#options.find(id)
      if (!answer.ok || answer.body.question.state !== 'open') return answer
      const { promptId, expiresAt } = answer.body.question
      if (promptId) this.#options.waiting(promptId)
      const restMs = untilMs - Date.now()
      if (restMs <= 0 || left.aborted) return answer
      await waitFor(promise, Math.min(restMs, askMs, Math.max(Date.parse(expiresAt) - Date.now(), 0) + 100), left)
    }
  }
}
