import type { Observed, SentObservation } from '../../domain/agent/observation.ts'
import type { Question } from '../../domain/chat/question.ts'
import { maxWaitSeconds } from '../kit/limits.ts'
import type { Refusal } from '../kit/refusal.ts'
import { Service } from '../runtime/service.ts'

/** Calls of the supervisor that the reference agent does not need. @throws ServiceError, Stopped */
export class Loopback extends Service {
  observe(report: SentObservation): Promise<Observed> {
    return this.call('/agent/observe', report)
  }

  /** The error that the turn's last model call got; null for none. */
  refusal(promptId: string): Promise<Refusal | null> {
    return this.call<{ refusal: Refusal | null }>(`/agent/refusal?prompt=${encodeURIComponent(promptId)}`).then(
      ({ refusal }) => refusal,
      () => null,
    )
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
