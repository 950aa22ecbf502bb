import * as z from 'zod'
import type { PaymentEvent } from '../../domain/billing/checkout.ts'
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
  metadata: z.object({ userId: z.string(), checkoutId: z.string(), kind: z.string() }).nullable().catch(null),
})

const ours = z.object({ userId: z.string(), plan }).nullable().catch(null)

const item = z.object({
  current_period_end: z.int(),
  price: z.object({ lookup_key: z.string().nullish() }),
})
const subscription = z.object({
  id: z.string(),
  customer: idOf,
  status: z.string(),
  cancel_at_period_end: z.boolean(),
  cancel_at: z.int().nullish(),
  metadata: ours,
  items: z.object({ data: z.array(item).min(1) }),
})

const line = z.object({
  period: z.object({ start: z.int() }),
  parent: z.object({ subscription_item_details: z.object({ proration: z.boolean().nullish() }).nullish() }).nullish(),
  pricing: z.object({ price_details: z.object({ price: idOf }).nullish() }).nullish(),
})
const invoice = z.object({
  billing_reason: z.string().nullish(),
  parent: z.object({ subscription_details: z.object({ subscription: idOf, metadata: ours }).nullish() }).nullish(),
  lines: z.object({ data: z.array(line) }),
})

/** Stripe's states of a subscription as ours; what is not here is not yet, or never was, a subscription. */
const statuses: Record<string, Subscription['status']> = {
  trialing: 'active',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  canceled: 'canceled',
  paused: 'canceled',
}

/** What a verified event means to us; what carries no user of ours is ignored. */
export async function toPaymentEvent(
  verified: unknown,
  planOfPrice: (priceId: string) => Promise<PlanId | null>,
): Promise<PaymentEvent> {
  const event = envelope.parse(verified)
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return topUp(event)
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
      return subscriptionChange(event)
    case 'invoice.paid':
      return periodPaid(event, planOfPrice)
    default:
      return ignored(event)
  }
}

const ignored = ({ id, type }: Envelope): PaymentEvent => ({ kind: 'ignored', eventId: id, type })

function topUp(event: Envelope): PaymentEvent {
  const { id, mode, payment_status, metadata } = session.parse(event.data.object)
  if (mode !== 'payment' || payment_status !== 'paid' || metadata?.kind !== 'topup') return ignored(event)
  const { userId, checkoutId } = metadata
  return { kind: 'topup-paid', eventId: event.id, userId, checkoutId, sessionId: id }
}

function subscriptionChange(event: Envelope): PaymentEvent {
  const { id, customer, metadata, items, ...rest } = subscription.parse(event.data.object)
  const status = event.type === 'customer.subscription.deleted' ? 'canceled' : statuses[rest.status]
  const [first] = items.data
  if (!metadata || !status || !first) return ignored(event)
  return {
    kind: 'subscription-changed',
    eventId: event.id,
    userId: metadata.userId,
    subscriptionId: id,
    customerId: customer,
    createdSeconds: event.created,
    subscription: {
      status,
      plan: planIds.find((one) => lookupKey(one) === first.price.lookup_key) ?? metadata.plan ?? null,
      currentPeriodEnd: iso(first.current_period_end * 1000),
      cancelAtPeriodEnd: rest.cancel_at_period_end || rest.cancel_at === first.current_period_end,
    },
  }
}

/** The paid invoice of a first or a further period; other invoices (prorations, extras) include no credit. */
async function periodPaid(
  event: Envelope,
  planOfPrice: (priceId: string) => Promise<PlanId | null>,
): Promise<PaymentEvent> {
  const { billing_reason, parent, lines } = invoice.parse(event.data.object)
  const details = parent?.subscription_details
  const cycle = billing_reason === 'subscription_create' || billing_reason === 'subscription_cycle'
  const paid = lines.data.find((one) => one.parent?.subscription_item_details?.proration === false)
  if (!cycle || !details?.metadata || !paid) return ignored(event)
  const { userId, plan: planAtCheckout } = details.metadata
  const priceId = paid.pricing?.price_details?.price
  // The plan at checkout may be an older one: the price that was paid says which it is now.
  const plan = (priceId && (await planOfPrice(priceId))) || planAtCheckout
  if (!plan) return ignored(event)
  const periodStart = iso(paid.period.start * 1000)
  return { kind: 'period-paid', eventId: event.id, userId, subscriptionId: details.subscription, plan, periodStart }
}
