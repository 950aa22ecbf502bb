import type { DayLimit } from '../../domain/day-limit.ts'
import type { Page } from '../../domain/page.ts'
import type { Answer, DeliveryRecord } from '../../domain/webhooks/delivery.ts'
import type { EndpointRecord, LossReason } from '../../domain/webhooks/endpoint.ts'
import type { Part } from './part.ts'

/** A due delivery, and its due time, ms since 1970, which changes when a run claims it. */
export interface DueDelivery {
  endpointId: string
  id: string
  dueMs: number
}

export type Queued = { outcome: 'queued'; due: DueDelivery } | { outcome: 'repeated' | 'too-many' | 'too-many-today' }

/** Most deliveries to one target an hour, and of one kind a UTC day. */
export interface DeliveryLimits extends DayLimit {
  deliveriesAnHour: number
}

export interface Webhooks {
  endpoints(userId: string): Promise<EndpointRecord[]>
  findEndpoint(userId: string, id: string): Promise<EndpointRecord | null>
  /** False when the user already has `most`, also under concurrency. */
  addEndpoint(userId: string, endpoint: EndpointRecord, most: number, ...also: Part[]): Promise<boolean>
  /** Stores the owner's changes and resets the failures. False when the endpoint is gone. */
  changeEndpoint(
    userId: string,
    id: string,
    to: Pick<EndpointRecord, 'name' | 'url' | 'events' | 'disabled' | 'byToken'>,
    ...also: Part[]
  ): Promise<boolean>
  /** False when the endpoint is gone. */
  removeEndpoint(userId: string, id: string, ...also: Part[]): Promise<boolean>
  /** The current secret signs until `oldUntil`. False when the endpoint changed meanwhile. */
  rotateSecret(userId: string, endpoint: EndpointRecord, oldUntil: string, ...also: Part[]): Promise<boolean>
  /** Counts a failure and sets the pause after it; null when the endpoint is gone. */
  noteFailure(userId: string, id: string, at: string, restsUntilMs: number): Promise<EndpointRecord | null>
  noteSuccess(userId: string, id: string): Promise<void>
  /** False when the endpoint is disabled or gone. */
  disable(userId: string, id: string, because: LossReason, ...also: Part[]): Promise<boolean>

  /** Stores a delivery once, and counts it in its endpoint's hour and in the day. */
  queue(
    userId: string,
    delivery: DeliveryRecord,
    limits: DeliveryLimits,
    nowMs: number,
    ...also: Part[]
  ): Promise<Queued>
  findDelivery(userId: string, endpointId: string, id: string): Promise<DeliveryRecord | null>
  /** Newest first. */
  deliveries(
    userId: string,
    endpointId: string,
    at: { after: string | null; limit: number },
  ): Promise<Page<DeliveryRecord>>
  /** Makes a delivery due again, counted like a new one. */
  replay(
    userId: string,
    delivery: DeliveryRecord,
    limits: DeliveryLimits,
    nowMs: number,
    ...also: Part[]
  ): Promise<Queued>
  due(shard: number, nowMs: number): Promise<(DueDelivery & { userId: string })[]>
  /** Claims a due delivery until `untilMs`, and counts the try; null when another run has claimed it, or it is done. */
  take(userId: string, due: DueDelivery, untilMs: number): Promise<DeliveryRecord | null>
  /** Postpones a due delivery; no effect when another run has claimed it. */
  postpone(userId: string, due: DueDelivery, toMs: number): Promise<void>
  /** If another run has claimed the delivery since `takenUntilMs` was set, only a success is written. */
  settle(userId: string, delivery: DeliveryRecord, takenUntilMs: number): Promise<void>
}

/** Sends to addresses that users name, if they are public. */
export interface WebhookSender {
  /** One try; the body is JSON unless the headers say otherwise. @throws never */
  post(url: string, headers: Readonly<Record<string, string>>, body: string | Uint8Array): Promise<Answer>
}
