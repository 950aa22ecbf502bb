import type { Observed, SentObservation } from '../../domain/agent/observation.ts'
import type { Question } from '../../domain/chat/question.ts'
import { maxWaitSeconds } from '../kit/limits.ts'
import { Service } from '../runtime/service.ts'

/** Calls of the supervisor that the reference agent does not need. @throws ServiceError, Stopped */
export class Loopback extends Service {
  observe(report: SentObservation): Promise<Observed> {
    return this.call('/agent/observe', report)
  }

  /** Resolves when the question is answered or expired. */
  async untilAnswered(id: string, left: AbortSignal): Promise<Question> {
    for (;;) {
      const { question } = await this.retried(() =>
        this.call<{ question: Question }>(`/agent/question?id=${id}&wait=${maxWaitSeconds}`, undefined, left),
      )
      if (question.state !== 'open') return question
    }
  }
}
