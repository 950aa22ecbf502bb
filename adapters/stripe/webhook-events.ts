import Stripe from 'stripe'
import * as z from 'zod'
import type { PaymentEvent } from '../../domain/billing/payment-event.ts'
import { invalid } from '../../domain/errors.ts'
import { readCharge } from './charges.ts'
import { type Client, stripeId } from './client.ts'
import { invoiceObject, paidPeriodOf } from './invoices.ts'
import { topUpMetadata } from './metadata.ts'
import { subscriptionObject, toSubscription } from './subscriptions.ts'

type Read = (event: WebhookEvent, client: Client) => Promise<PaymentEvent> | PaymentEvent

/** The types of events that we read; the endpoint at Stripe needs no others. */
export const webhookEvents = {
  'checkout.session.completed': topUp,
  'checkout.session.async_payment_succeeded': topUp,
  'checkout.session.async_payment_failed': topUp,
  'customer.subscription.created': subscriptionChange,
  'customer.subscription.updated': subscriptionChange,
  'customer.subscription.deleted': subscriptionChange,
  'invoice.paid': invoicePaid,
  'invoice.payment_failed': invoiceUnpaid,
  'charge.refunded': chargeRefunded,
  'refund.created': aboutCharge,
  'refund.updated': aboutCharge,
  'refund.failed': aboutCharge,
  'charge.dispute.created': aboutCharge,
  'charge.dispute.updated': aboutCharge,
  'charge.dispute.closed': aboutCharge,
  'charge.dispute.funds_reinstated': aboutCharge,
  'radar.early_fraud_warning.created': aboutCharge,
} satisfies Partial<Record<Stripe.WebhookEndpointCreateParams.EnabledEvent, Read>>

const readers: Partial<Record<string, Read>> = webhookEvents

/** Maximum age of a signature, and maximum lag of our clock, seconds. Stripe signs each delivery again. */
const toleranceSeconds = 300

/** Ignores events that are not of our users. @throws validation for an invalid signature */
export async function readWebhook(
  client: Client,
  rawBody: string,
  signature: string | undefined,
  nowMs: number,
): Promise<PaymentEvent> {
  const event = webhookEvent.parse(verified(rawBody, signature, await client.webhookSecrets(), nowMs))
  const read = Object.hasOwn(readers, event.type) ? readers[event.type] : undefined
  return read ? read(event, client) : ignored(event)
}

/** During a rotation several secrets are valid. @throws validation */
function verified(rawBody: string, signature: string | undefined, secrets: string[], nowMs: number): unknown {
  for (const secret of signature && !isDatedAhead(signature, nowMs) ? secrets : []) {
    try {
      return Stripe.webhooks.constructEvent(rawBody, signature ?? '', secret, toleranceSeconds, undefined, nowMs)
    } catch {
      // Try the next secret.
    }
  }
  throw invalid('stripe-signature', 'it does not hold for this body, or is not of now.')
}

/** Stripe's library accepts future dates, which would stay valid until then. */
const isDatedAhead = (signature: string, nowMs: number): boolean =>
  signature
    .split(',')
    .some(
      (part) =>
        part.startsWith('t=') && Number.parseInt(part.slice(2), 10) > Math.floor(nowMs / 1000) + toleranceSeconds,
    )

const webhookEvent = z.object({
  id: z.string(),
  type: z.string(),
  /** Seconds since 1970. */
  created: z.int(),
  data: z.object({ object: z.unknown() }),
})
type WebhookEvent = z.infer<typeof webhookEvent>

const ignored = ({ id, type }: WebhookEvent): PaymentEvent => ({ kind: 'ignored', eventId: id, type })

const checkoutSession = z.object({
  id: z.string(),
  mode: z.string(),
  payment_status: z.string(),
  payment_intent: stripeId.nullish(),
  metadata: topUpMetadata
    .extend({ kind: z.literal('topup') })
    .nullable()
    .catch(null),
})

function topUp(event: WebhookEvent): PaymentEvent {
  const { id: sessionId, mode, payment_status, payment_intent, metadata } = checkoutSession.parse(event.data.object)
  if (mode !== 'payment' || !metadata) return ignored(event)
  const { userId, checkoutId } = metadata
  const about = { eventId: event.id, userId, checkoutId, sessionId }
  if (event.type === 'checkout.session.async_payment_failed') return { kind: 'topup-failed', ...about }
  if (payment_status !== 'paid') return ignored(event)
  return { kind: 'topup-paid', ...about, paymentId: payment_intent ?? null }
}

async function subscriptionChange(event: WebhookEvent, client: Client): Promise<PaymentEvent> {
  const deleted = event.type === 'customer.subscription.deleted'
  const object = subscriptionObject.parse(event.data.object)
  const seen = await toSubscription(client, deleted ? { ...object, status: 'canceled', schedule: null } : object)
  if (!seen) return ignored(event)
  return { kind: 'subscription-changed', eventId: event.id, createdSeconds: event.created, deleted, ...seen }
}

async function invoicePaid(event: WebhookEvent, client: Client): Promise<PaymentEvent> {
  const { id: sessionId, metadata } = invoiceObject.parse(event.data.object)
  if (metadata) {
    const { userId, checkoutId } = metadata
    return { kind: 'topup-paid', eventId: event.id, userId, checkoutId, sessionId, paymentId: sessionId }
  }
  const period = await paidPeriodOf(client, event.data.object)
  return period ? { kind: 'period-paid', eventId: event.id, createdSeconds: event.created, ...period } : ignored(event)
}

function invoiceUnpaid(event: WebhookEvent): PaymentEvent {
  const { billing_reason, parent, amount_due: amountCents } = invoiceObject.parse(event.data.object)
  const details = parent?.subscription_details
  if (billing_reason !== 'subscription_cycle' || !details?.metadata) return ignored(event)
  const { subscription: subscriptionId, metadata } = details
  return { kind: 'period-unpaid', eventId: event.id, userId: metadata.userId, subscriptionId, amountCents }
}

function chargeRefunded(event: WebhookEvent, client: Client): Promise<PaymentEvent> {
  return paymentChange(event, client, z.object({ id: z.string() }).parse(event.data.object).id)
}

/** A refund, a dispute or a warning. A refund without a charge has no id. */
async function aboutCharge(event: WebhookEvent, client: Client): Promise<PaymentEvent> {
  const { charge } = z.object({ charge: stripeId.nullish() }).parse(event.data.object)
  return charge ? paymentChange(event, client, charge) : ignored(event)
}

async function paymentChange(event: WebhookEvent, client: Client, chargeId: string): Promise<PaymentEvent> {
  const payment = await readCharge(client, chargeId)
  const fraudWarning = event.type === 'radar.early_fraud_warning.created'
  const { id: eventId, created: createdSeconds } = event
  return payment ? { kind: 'payment-changed', eventId, createdSeconds, ...payment, fraudWarning } : ignored(event)
}
