import * as z from 'zod'
import { event } from '../chat/event.ts'
import { eventTypes } from '../chat/event-types.ts'
import { dayMs, hourMs, iso, minuteMs, secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { type EndpointRecord, testType, wants } from './endpoint.ts'

/** Time in which a delivery is listed and can be replayed, ms. */
export const deliveryKeptMs = 7 * dayMs

/** A delivery is given up this long after its creation or last replay, ms. */
export const triedForMs = dayMs

/** Waits before the second try, the third and so on, ms; a little less than a day together. */
export const waitsMs = [
  5 * secondMs,
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  7 * hourMs,
  8 * hourMs,
] as const

/** Waits are longer by up to this share, so that deliveries that failed together are not retried together. */
const jitter = 0.05

export const maxAnswerBytes = 4 * 1024

/** Limits of connecting to an endpoint, and of a whole try, ms. */
export const tryLimits = { connectMs: 3 * secondMs, wholeMs: 10 * secondMs }

const tryFailures = ['refused-address', 'unreachable', 'timeout', 'tls'] as const

const cancellations = ['endpoint-deleted', 'endpoint-disabled', 'not-subscribed', 'too-late'] as const
export type Cancellation = (typeof cancellations)[number]

const deliveryTry = z.object({
  at: timestamp,
  status: z
    .int()
    .nullable()
    .meta({ description: 'The status of the response; null without a response.', example: 200 }),
  failure: z.enum(tryFailures).nullable().meta({ description: 'The reason why there is no response.', example: null }),
  latencyMs: z.int().meta({ description: 'Milliseconds until the response or the failure.', example: 83 }),
})
export type DeliveryTry = z.infer<typeof deliveryTry>

export const webhookDelivery = z
  .object({
    id: z.string().meta({
      description: 'The event’s id; sent as `webhook-id` in each attempt.',
      example: 'evt_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
    }),
    type: z.enum([...eventTypes, testType]),
    createdAt: timestamp,
    state: z.enum(['pending', 'delivered', 'failed']),
    tries: z.array(deliveryTry).meta({ description: 'Oldest first; the latest 20.' }),
    nextTryAt: timestamp.nullable().meta({ description: 'Null after the last attempt.' }),
    cancelled: z
      .enum(cancellations)
      .nullable()
      .meta({ description: 'The reason why the remaining attempts were dropped.', example: null }),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof webhookDelivery>

export const webhookEvent = event.extend({ type: z.enum([...eventTypes, testType]) }).meta({ id: 'WebhookEvent' })
type WebhookEvent = z.infer<typeof webhookEvent>

export interface DeliveryRecord extends WebhookDelivery {
  endpointId: string
  /** The body, byte for byte the same in each attempt. */
  body: string
  /** Tries since its creation or replay, crashes included. */
  taken: number
  /** Given up then, ms since 1970. */
  untilMs: number
}

const keptTries = 20

export interface Answer extends Omit<DeliveryTry, 'at'> {
  /** Seconds of the endpoint's `Retry-After`, or null. */
  retryAfterSeconds: number | null
}

export function newDelivery(endpointId: string, told: WebhookEvent, nowMs: number): DeliveryRecord {
  const { id, type, at, data } = told
  return {
    endpointId,
    id,
    type,
    createdAt: iso(nowMs),
    body: JSON.stringify({ id, type, at, data }),
    state: 'pending',
    tries: [],
    taken: 0,
    nextTryAt: iso(nowMs),
    untilMs: nowMs + triedForMs,
    cancelled: null,
  }
}

export const replayed = (delivery: DeliveryRecord, nowMs: number): DeliveryRecord => ({
  ...delivery,
  state: 'pending',
  taken: 0,
  nextTryAt: iso(nowMs),
  untilMs: nowMs + triedForMs,
  cancelled: null,
})

export const showDelivery = ({ endpointId: _, body: __, taken: ___, untilMs: ____, ...shown }: DeliveryRecord) => shown

/**
 * Null to send it. Checked at each try, so that changing an endpoint cannot redirect events the caller may not read.
 */
export function cancellation(endpoint: EndpointRecord, delivery: DeliveryRecord, nowMs: number): Cancellation | null {
  if (endpoint.disabled !== null) return 'endpoint-disabled'
  if (!wants(endpoint, delivery.type)) return 'not-subscribed'
  return isTooLate(delivery, nowMs) ? 'too-late' : null
}

export const isTooLate = ({ untilMs, taken }: DeliveryRecord, nowMs: number): boolean =>
  nowMs > untilMs || taken > waitsMs.length + 1

export const isSuccess = ({ status }: Pick<Answer, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

/** @param random from 0 to 1 @param final whether there is no further try, whatever time is left */
export function afterTry(
  delivery: DeliveryRecord,
  answer: Answer,
  nowMs: number,
  random: number,
  final: boolean,
): DeliveryRecord {
  const { retryAfterSeconds, ...said } = answer
  const tries = [...delivery.tries, { at: iso(nowMs - said.latencyMs), ...said }].slice(-keptTries)
  if (isSuccess(answer)) return { ...delivery, tries, state: 'delivered', nextTryAt: null }
  const waitMs = waitsMs[delivery.taken - 1]
  const nextMs =
    waitMs === undefined || final
      ? null
      : nowMs + Math.max(Math.ceil(waitMs * (1 + jitter * random)), (retryAfterSeconds ?? 0) * secondMs)
  return nextMs === null || nextMs > delivery.untilMs
    ? { ...delivery, tries, state: 'failed', nextTryAt: null }
    : { ...delivery, tries, nextTryAt: iso(nextMs) }
}

/** Next check of deliveries to a resting endpoint, ms since 1970, spread over a minute. @param random from 0 to 1 */
export const afterRest = ({ restsUntilMs }: Pick<EndpointRecord, 'restsUntilMs'>, random: number): number =>
  restsUntilMs + Math.floor(random * minuteMs)

const longestRetryAfter = triedForMs / secondMs

/** Reads seconds or a date; null for anything else. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Math.ceil((Date.parse(text) - nowMs) / secondMs)
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), longestRetryAfter) : null
}
