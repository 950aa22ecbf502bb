import type { Decline } from './cards.ts'
import type { PaymentMethod } from './charge-records.ts'
import type {
  Charge,
  CheckoutSession,
  LineItem,
  Metadata,
  PaymentIntent,
  Price,
  Subscription,
  SubscriptionItem,
} from './records.ts'
import { listOf } from './records.ts'
import { newId, nowSeconds } from './store.ts'

export interface Payment {
  amount: number
  currency: string
  customer: string | null
  email: string | null
  description: string | null
  metadata: Metadata
  setupFutureUsage: string | null
  receiptEmail?: string | null
  card: PaymentMethod
  declined: Decline | null
}

/** A payment intent and its charge, paid or declined. */
export function newPayment(payment: Payment): { intent: PaymentIntent; charge: Charge } {
  const { card, declined } = payment
  const created = nowSeconds()
  const base = { created, livemode: false as const, currency: payment.currency, customer: payment.customer }
  const intentId = newId('pi')
  const charge: Charge = {
    ...base,
    id: newId('ch'),
    object: 'charge',
    amount: payment.amount,
    amount_captured: declined ? 0 : payment.amount,
    amount_refunded: 0,
    balance_transaction: declined ? null : newId('txn'),
    billing_details: { address: null, email: payment.email, name: null, phone: null, tax_id: null },
    captured: !declined,
    description: payment.description,
    disputed: false,
    failure_code: declined ? declined.code : null,
    failure_message: declined ? declined.message : null,
    metadata: payment.metadata,
    outcome: {
      network_status: declined ? 'declined_by_network' : 'approved_by_network',
      risk_level: 'normal',
      type: declined ? 'issuer_declined' : 'authorized',
    },
    paid: !declined,
    payment_intent: intentId,
    payment_method: card.id,
    payment_method_details: { card: card.card, type: 'card' },
    receipt_email: payment.receiptEmail ?? null,
    refunded: false,
    status: declined ? 'failed' : 'succeeded',
  }
  const intent: PaymentIntent = {
    ...base,
    id: intentId,
    object: 'payment_intent',
    amount: payment.amount,
    amount_capturable: 0,
    amount_received: declined ? 0 : payment.amount,
    canceled_at: null,
    capture_method: 'automatic_async',
    client_secret: null,
    confirmation_method: 'automatic',
    description: payment.description,
    last_payment_error: declined ? { ...declined, charge: charge.id } : null,
    latest_charge: charge.id,
    metadata: payment.metadata,
    next_action: null,
    payment_method: declined ? null : card.id,
    payment_method_types: ['card'],
    receipt_email: payment.receiptEmail ?? null,
    setup_future_usage: payment.setupFutureUsage,
    status: declined ? 'requires_payment_method' : 'succeeded',
  }
  return { intent, charge }
}

/** The end of the billing period that begins at `from` (seconds); a month from the 31st ends on the next month's last day. */
export function periodEnd(from: number, recurring: Price['recurring']): number {
  const count = recurring?.interval_count ?? 1
  const date = new Date(from * 1000)
  const day = date.getUTCDate()
  if (recurring?.interval === 'day' || recurring?.interval === 'week')
    date.setUTCDate(day + count * (recurring.interval === 'week' ? 7 : 1))
  else {
    date.setUTCDate(1)
    date.setUTCMonth(date.getUTCMonth() + count * (recurring?.interval === 'year' ? 12 : 1))
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
    date.setUTCDate(Math.min(day, last))
  }
  return Math.floor(date.getTime() / 1000)
}

export function newSubscription(session: CheckoutSession, customer: string, card: PaymentMethod): Subscription {
  const created = nowSeconds()
  const id = newId('sub')
  return {
    id,
    object: 'subscription',
    created,
    livemode: false,
    automatic_tax: { enabled: false, liability: null, disabled_reason: null },
    billing_cycle_anchor: created,
    billing_mode: { type: 'flexible', flexible: null },
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    collection_method: 'charge_automatically',
    currency: session.currency,
    customer,
    default_payment_method: card.id,
    description: session.local.description,
    discounts: [],
    ended_at: null,
    items: listOf(
      session.local.items.map((item) => newItem(item, id, created)),
      `/v1/subscription_items?subscription=${id}`,
    ),
    latest_invoice: null,
    metadata: session.local.metadata,
    schedule: null,
    start_date: created,
    status: 'active',
    trial_end: null,
    trial_start: null,
  }
}

const newItem = ({ price, quantity }: LineItem, subscription: string, created: number): SubscriptionItem => ({
  id: newId('si'),
  object: 'subscription_item',
  created,
  current_period_start: created,
  current_period_end: periodEnd(created, price.recurring),
  discounts: [],
  metadata: {},
  price,
  quantity,
  subscription,
  tax_rates: [],
})
