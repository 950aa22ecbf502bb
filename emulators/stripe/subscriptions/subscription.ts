import {
  type CheckoutSession,
  type LineItem,
  listOf,
  type PaymentMethod,
  type Price,
  type Subscription,
  type SubscriptionItem,
} from '../records.ts'
import { newId, nowSeconds } from '../store.ts'

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
