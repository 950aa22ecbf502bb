import type { Observed, SentObservation } from '../../domain/agent/observation.ts'
import type { Question } from '../../domain/chat/question.ts'
import type { RuntimeSettings } from '../environment.ts'
import { readText, within } from '../http.ts'
import { request, Service } from '../runtime/service.ts'

const callMs = 35_000
const waitSeconds = 20

/** What a runtime needs of the supervisor beyond what the reference agent does. @throws ServiceError, Stopped */
export class Loopback extends Service {
  readonly #settings: RuntimeSettings

  constructor(settings: RuntimeSettings, stopped: AbortSignal) {
    super(settings, stopped)
    this.#settings = settings
  }

  observe(report: SentObservation): Promise<Observed> {
    return this.#ask('/agent/observe', report)
  }

  /** The question once its owner has answered it, or it has expired. */
  async untilAnswered(id: string, left: AbortSignal): Promise<Question> {
    for (;;) {
      const { question } = await this.retried(() =>
        this.#ask<{ question: Question }>(`/agent/question?id=${id}&wait=${waitSeconds}`, undefined, left),
      )
      if (question.state !== 'open') return question
    }
  }

  async #ask<T>(target: string, body?: unknown, left?: AbortSignal): Promise<T> {
    const { loopback, loopbackKey } = this.#settings
    const headers = { authorization: `Bearer ${loopbackKey}` }
    return JSON.parse(
      await readText(await request(`${loopback}${target}`, { headers, body, signal: within(callMs, left) })),
    )
  }
}
