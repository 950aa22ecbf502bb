import type { Answer, Cancellation, DeliveryRecord } from '../../domain/webhooks/delivery.ts'

/** A destination of deliveries: an endpoint, or a browser. */
export interface Target {
  /** Nothing is sent before this, ms since 1970. */
  restsUntilMs: number
  /** Why a claimed delivery must not be sent; null if it may. */
  cancellation(delivery: DeliveryRecord, nowMs: number): Cancellation | null
  /** One try. @throws never for a failure of its address */
  post(delivery: DeliveryRecord): Promise<Answer>
  /** Whether a retry would get the same answer. */
  isFinal(answer: Answer): boolean
  /** Records the answer, and returns the target after it. */
  noteAnswer(answer: Answer): Promise<Target>
}
