import * as z from 'zod'
import type { PaymentEvent, SeenPayment, SeenSubscription } from '../../domain/billing/payment-event.ts'
import { lookupKey, type PlanId, planIds, type Subscription } from '../../domain/billing/plans.ts'
import { iso } from '../../domain/time.ts'

const envelope = z.object({
  id: z.string(),
  type: z.string(),
  /** Seconds since 1970. */
  created: z.int(),
  data: z.object({ object: z.unknown() }),
})
type Envelope = z.infer<typeof envelope>

const idOf = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
const plan = z.enum(planIds).optional().catch(undefined)

const session = z.object({
  id: z.string(),
  mode: z.string(),
  payment_status: z.string(),
  payment_intent: idOf.nullish(),
  metadata: z.object({ userId: z.string(), checkoutId: z.string(), kind: z.string() }).nullable().catch(null),
})

const ours = z
  .object({ userId: z.string(), plan, checkoutId: z.string().nullable().default(null) })
  .nullable()
  .catch(null)

const item = z.object({
  current_period_end: z.int(),
  price: z.object({ lookup_key: z.string().nullish() }),
})
const subscription = z.object({
  id: z.string(),
  created: z.int(),
  customer: idOf,
  status: z.string(),
  cancel_at_period_end: z.boolean(),
  cancel_at: z.int().nullish(),
  schedule: idOf.nullish(),
  metadata: ours,
  items: z.object({ data: z.array(item).min(1) }),
})

const line = z.object({
  period: z.object({ start: z.int() }),
  parent: z.object({ subscription_item_details: z.object({ proration: z.boolean().nullish() }).nullish() }).nullish(),
  pricing: z.object({ price_details: z.object({ price: idOf }).nullish() }).nullish(),
})
const invoice = z.object({
  id: z.string(),
  billing_reason: z.string().nullish(),
  amount_due: z.int().default(0),
  metadata: z
    .object({ userId: z.string(), checkoutId: z.string(), kind: z.literal('auto-topup') })
    .nullable()
    .catch(null),
  parent: z.object({ subscription_details: z.object({ subscription: idOf, metadata: ours }).nullish() }).nullish(),
  lines: z.object({ data: z.array(line) }),
})

/** Anything that is about a charge: a refund, a dispute, a warning. A refund of what no charge took has none. */
const ofCharge = z.object({ charge: idOf.nullish() })
const charge = z.object({ id: z.string() })

/** Stripe's states of a subscription as ours; what is not here is not yet, or never was, a subscription. */
const statuses: Record<string, Subscription['status']> = {
  trialing: 'active',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  canceled: 'canceled',
  paused: 'canceled',
}

/** What an event leaves open and Stripe has to be asked for. */
export interface Questions {
  planOf(priceId: string): Promise<PlanId | null>
  nextPlan(scheduleId: string): Promise<PlanId | null>
  payment(chargeId: string): Promise<Omit<SeenPayment, 'fraudWarning'> | null>
}

/** The types of events that mean something to us; an endpoint at Stripe needs no other. */
const readers: Record<string, (event: Envelope, ask: Questions) => Promise<PaymentEvent> | PaymentEvent> = {
  'checkout.session.completed': topUp,
  'checkout.session.async_payment_succeeded': topUp,
  'checkout.session.async_payment_failed': topUp,
  'customer.subscription.created': subscriptionChange,
  'customer.subscription.updated': subscriptionChange,
  'customer.subscription.deleted': subscriptionChange,
  'invoice.paid': invoicePaid,
  'invoice.payment_failed': invoiceUnpaid,
  'charge.refunded': (event, ask) => paymentChange(event, charge.parse(event.data.object).id, ask),
  'refund.created': aboutCharge,
  'refund.updated': aboutCharge,
  'refund.failed': aboutCharge,
  'charge.dispute.created': aboutCharge,
  'charge.dispute.updated': aboutCharge,
  'charge.dispute.closed': aboutCharge,
  'charge.dispute.funds_reinstated': aboutCharge,
  'radar.early_fraud_warning.created': aboutCharge,
}

export const eventTypes = Object.keys(readers)

/** What a verified event means to us; what carries no user of ours is ignored. */
export async function toPaymentEvent(verified: unknown, ask: Questions): Promise<PaymentEvent> {
  const event = envelope.parse(verified)
  const reader = Object.hasOwn(readers, event.type) ? readers[event.type] : undefined
  return reader ? reader(event, ask) : ignored(event)
}

const ignored = ({ id, type }: Envelope): PaymentEvent => ({ kind: 'ignored', eventId: id, type })

function topUp(event: Envelope): PaymentEvent {
  const { id: sessionId, mode, payment_status, payment_intent, metadata } = session.parse(event.data.object)
  if (mode !== 'payment' || metadata?.kind !== 'topup') return ignored(event)
  const { userId, checkoutId } = metadata
  const about = { eventId: event.id, userId, checkoutId, sessionId }
  if (event.type === 'checkout.session.async_payment_failed') return { kind: 'topup-failed', ...about }
  if (payment_status !== 'paid') return ignored(event)
  return { kind: 'topup-paid', ...about, paymentId: payment_intent ?? null }
}

async function subscriptionChange(event: Envelope, { nextPlan }: Questions): Promise<PaymentEvent> {
  const deleted = event.type === 'customer.subscription.deleted'
  const object = subscription.parse(event.data.object)
  const seen = await toSeen(deleted ? { ...object, status: 'canceled', schedule: null } : object, nextPlan)
  if (!seen) return ignored(event)
  return { kind: 'subscription-changed', eventId: event.id, createdSeconds: event.created, deleted, ...seen }
}

/** A subscription as Stripe tells it, in our words; null when it is not, or not yet, one of ours. */
export async function toSeen(object: unknown, nextPlanOf: Questions['nextPlan']): Promise<SeenSubscription | null> {
  const { id, created, customer, metadata, items, schedule, ...rest } = subscription.parse(object)
  const status = statuses[rest.status]
  const [first] = items.data
  if (!metadata || !status || !first) return null
  const present = planIds.find((one) => lookupKey(one) === first.price.lookup_key) ?? metadata.plan ?? null
  const next = schedule && status !== 'canceled' ? await nextPlanOf(schedule) : null
  return {
    userId: metadata.userId,
    subscriptionId: id,
    customerId: customer,
    checkoutId: metadata.checkoutId,
    boughtSeconds: created,
    givenUp: rest.status === 'unpaid',
    subscription: {
      status,
      plan: present,
      currentPeriodEnd: iso(first.current_period_end * 1000),
      cancelAtPeriodEnd: rest.cancel_at_period_end || rest.cancel_at === first.current_period_end,
      ...(next && next !== present && { nextPlan: next }),
    },
  }
}

async function invoicePaid(event: Envelope, { planOf }: Questions): Promise<PaymentEvent> {
  const { id: sessionId, metadata } = invoice.parse(event.data.object)
  if (metadata) {
    const { userId, checkoutId } = metadata
    return { kind: 'topup-paid', eventId: event.id, userId, checkoutId, sessionId, paymentId: sessionId }
  }
  const period = await readPeriod(event.data.object, planOf)
  return period ? { kind: 'period-paid', eventId: event.id, createdSeconds: event.created, ...period } : ignored(event)
}

/** The period that a first or a cycle's invoice pays; other invoices (prorations, extras) include no credit. */
export async function readPeriod(object: unknown, planOf: Questions['planOf']) {
  const { billing_reason, parent, lines } = invoice.parse(object)
  const details = parent?.subscription_details
  const cycle = billing_reason === 'subscription_create' || billing_reason === 'subscription_cycle'
  const paid = lines.data.find((one) => one.parent?.subscription_item_details?.proration === false)
  if (!cycle || !details?.metadata || !paid) return null
  const { userId, checkoutId, plan: planAtCheckout } = details.metadata
  const priceId = paid.pricing?.price_details?.price
  // The plan at checkout may be an older one: the price that was paid says which it is now.
  const plan = (priceId && (await planOf(priceId))) || planAtCheckout
  if (!plan) return null
  const periodStart = iso(paid.period.start * 1000)
  return { userId, subscriptionId: details.subscription, checkoutId, plan, periodStart }
}

function invoiceUnpaid(event: Envelope): PaymentEvent {
  const { billing_reason, parent, amount_due: amountCents } = invoice.parse(event.data.object)
  const details = parent?.subscription_details
  if (billing_reason !== 'subscription_cycle' || !details?.metadata) return ignored(event)
  const { subscription: subscriptionId, metadata } = details
  return { kind: 'period-unpaid', eventId: event.id, userId: metadata.userId, subscriptionId, amountCents }
}

async function aboutCharge(event: Envelope, ask: Questions): Promise<PaymentEvent> {
  const { charge } = ofCharge.parse(event.data.object)
  return charge ? paymentChange(event, charge, ask) : ignored(event)
}

async function paymentChange(event: Envelope, chargeId: string, ask: Questions): Promise<PaymentEvent> {
  const payment = await ask.payment(chargeId)
  const fraudWarning = event.type === 'radar.early_fraud_warning.created'
  const { id: eventId, created: createdSeconds } = event
  return payment ? { kind: 'payment-changed', eventId, createdSeconds, ...payment, fraudWarning } : ignored(event)
}
