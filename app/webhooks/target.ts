import type { Answer, Cancellation, DeliveryRecord } from '../../domain/webhooks/delivery.ts'

/** Where deliveries go: an endpoint, or a browser. */
export interface Target {
  /** Nothing is sent to it before this, ms since 1970. */
  restsUntilMs: number
  /** Why a delivery that was taken is not to be sent; null when it is. */
  cancellation(delivery: DeliveryRecord, nowMs: number): Cancellation | null
  /** One try. @throws never for what its address does */
  post(delivery: DeliveryRecord): Promise<Answer>
  /** Whether nothing that is sent again would be answered otherwise. */
  isFinal(answer: Answer): boolean
  /** Keeps in mind how it answered, and answers it as that leaves it. */
  noteAnswer(answer: Answer): Promise<Target>
}
