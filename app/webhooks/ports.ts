import type { DayLimit } from '../../domain/day-limit.ts'
import type { Page } from '../../domain/page.ts'
import type { Answer, DeliveryRecord } from '../../domain/webhooks/delivery.ts'
import type { EndpointRecord, LossReason } from '../../domain/webhooks/endpoint.ts'

/** A delivery to attempt, and its due time, ms since 1970: the run that claims it changes that time. */
export interface DueDelivery {
  endpointId: string
  id: string
  dueMs: number
}

/** The outcome of creating a delivery; `repeated`: it already existed. */
export type Queued = { outcome: 'queued'; due: DueDelivery } | { outcome: 'repeated' | 'too-many' | 'too-many-today' }

/** How many deliveries one target gets in an hour, and all those of its kind in a UTC day. */
export interface DeliveryLimits extends DayLimit {
  deliveriesAnHour: number
}

/** Users' webhook endpoints, and their deliveries. */
export interface Webhooks {
  endpoints(userId: string): Promise<EndpointRecord[]>
  findEndpoint(userId: string, id: string): Promise<EndpointRecord | null>
  /** False when the user has `most` already, however many are added at once. */
  addEndpoint(userId: string, endpoint: EndpointRecord, most: number): Promise<boolean>
  /** The owner's changes; they reset its failures. False when it is gone. */
  changeEndpoint(
    userId: string,
    id: string,
    to: Pick<EndpointRecord, 'name' | 'url' | 'events' | 'disabled' | 'byToken'>,
  ): Promise<boolean>
  /** Nothing when it is gone. */
  removeEndpoint(userId: string, id: string): Promise<void>
  /** Gives it the next secret, the present one signing until then; false when it changed meanwhile. */
  rotateSecret(userId: string, endpoint: EndpointRecord, oldUntil: string): Promise<boolean>
  /** Counts a failure, and lets it rest; as it is then, or null when it is gone. */
  noteFailure(userId: string, id: string, at: string, restsUntilMs: number): Promise<EndpointRecord | null>
  noteSuccess(userId: string, id: string): Promise<void>
  /** False when it is disabled already, or gone. */
  disable(userId: string, id: string, because: LossReason): Promise<boolean>

  /** Stores a delivery and counts it among those of its endpoint's hour and of the day, once. */
  queue(userId: string, delivery: DeliveryRecord, limits: DeliveryLimits, nowMs: number): Promise<Queued>
  findDelivery(userId: string, endpointId: string, id: string): Promise<DeliveryRecord | null>
  /** Newest first. */
  deliveries(
    userId: string,
    endpointId: string,
    at: { after: string | null; limit: number },
  ): Promise<Page<DeliveryRecord>>
  /** Makes it due again, counted like a new one. */
  replay(userId: string, delivery: DeliveryRecord, limits: DeliveryLimits, nowMs: number): Promise<Queued>
  /** Due deliveries, by sweep shard. */
  due(shard: number, nowMs: number): Promise<(DueDelivery & { userId: string })[]>
  /** Takes one that is due until then, and counts that; null when somebody else has it, or it is done. */
  take(userId: string, due: DueDelivery, untilMs: number): Promise<DeliveryRecord | null>
  /** Puts off one that is due; nothing when somebody else has it. */
  postpone(userId: string, due: DueDelivery, toMs: number): Promise<void>
  /**
   * Writes what a try made of one that was taken until `takenUntilMs`. A delivered one stays delivered, whichever run
   * claimed it since; otherwise nothing is written then.
   */
  settle(userId: string, delivery: DeliveryRecord, takenUntilMs: number): Promise<void>
}

/** Sends to addresses that users name, and to nothing that is not public. */
export interface WebhookSender {
  /** One try; the body is JSON unless the headers say otherwise. @throws never */
  post(url: string, headers: Readonly<Record<string, string>>, body: string | Uint8Array): Promise<Answer>
}
