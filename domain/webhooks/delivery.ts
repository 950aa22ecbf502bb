import * as z from 'zod'
import { event } from '../chat/event.ts'
import { eventTypes } from '../chat/event-types.ts'
import { dayMs, hourMs, iso, minuteMs, secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { type EndpointRecord, testType, wants } from './endpoint.ts'

/** The time for which a delivery is listed and can be replayed, ms. */
export const deliveryKeptMs = 7 * dayMs

/** From its making, or its last replay, until a delivery is given up, ms. */
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

/** Waits are longer by a part of this at most, so that what failed together is not tried together. */
const jitter = 0.05

/** The part of an endpoint's answer that is read and dropped. */
export const maxAnswerBytes = 4 * 1024

/** How long connecting to an endpoint may take, and the whole of a try, ms. */
export const tryLimits = { connectMs: 3 * secondMs, wholeMs: 10 * secondMs }

/** Why a try brought no answer, or why there was none. */
export const tryFailures = ['refused-address', 'unreachable', 'timeout', 'tls'] as const

/** Why a delivery is not tried. */
export const cancellations = ['endpoint-deleted', 'endpoint-disabled', 'not-subscribed', 'too-late'] as const
export type Cancellation = (typeof cancellations)[number]

export const deliveryTry = z.object({
  at: timestamp,
  status: z.int().nullable().meta({ description: 'Its answer’s status; null without an answer.', example: 200 }),
  failure: z.enum(tryFailures).nullable().meta({ description: 'Why there is no answer.', example: null }),
  latencyMs: z.int().meta({ description: 'Milliseconds to the answer, or to its lack.', example: 83 }),
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
    nextTryAt: timestamp.nullable().meta({ description: 'Null when it is not tried any more.' }),
    cancelled: z
      .enum(cancellations)
      .nullable()
      .meta({ description: 'Why it was given up without another try.', example: null }),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof webhookDelivery>

/** The body. */
export const webhookEvent = event.extend({ type: z.enum([...eventTypes, testType]) }).meta({ id: 'WebhookEvent' })
export type WebhookEvent = z.infer<typeof webhookEvent>

/** A delivery as it is kept. */
export interface DeliveryRecord extends WebhookDelivery {
  endpointId: string
  /** The body, byte for byte the same in each attempt. */
  body: string
  /** How often it was taken to be tried since it was made or replayed, crashes counted. */
  taken: number
  /** When it is given up, ms since 1970. */
  untilMs: number
}

const keptTries = 20

/** How an endpoint answered a try. */
export interface Answer extends Omit<DeliveryTry, 'at'> {
  /** Seconds that it asks us to wait, or null. */
  retryAfterSeconds: number | null
}

/** An event, or a test, as what is to be delivered to one endpoint. */
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

/** The delivery as if it had just been made, its earlier tries listed still. */
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
 * Why a delivery that was taken is not to be sent; null when it is. A caller who changes an endpoint cannot redirect
 * events that the caller may not read.
 */
export function cancellation(endpoint: EndpointRecord, delivery: DeliveryRecord, nowMs: number): Cancellation | null {
  if (endpoint.disabled !== null) return 'endpoint-disabled'
  if (!wants(endpoint, delivery.type)) return 'not-subscribed'
  return isTooLate(delivery, nowMs) ? 'too-late' : null
}

/** Whether a delivery has had its time, or its tries. */
export const isTooLate = ({ untilMs, taken }: DeliveryRecord, nowMs: number): boolean =>
  nowMs > untilMs || taken > waitsMs.length + 1

export const isSuccess = ({ status }: Pick<Answer, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

/**
 * The delivery after a try. @param random from 0 to 1 @param final whether it is not tried again, whatever time is left
 */
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

/**
 * When what is due while its endpoint rests is looked at again, ms since 1970: spread over a minute. @param random from
 * 0 to 1
 */
export const afterRest = ({ restsUntilMs }: Pick<EndpointRecord, 'restsUntilMs'>, random: number): number =>
  restsUntilMs + Math.floor(random * minuteMs)

/** Most that an endpoint can make us wait, seconds: longer than that a delivery is not kept waiting. */
const longestRetryAfter = triedForMs / secondMs

/** `Retry-After` as seconds from now, or null when it says nothing: seconds or a date. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Math.ceil((Date.parse(text) - nowMs) / secondMs)
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), longestRetryAfter) : null
}
