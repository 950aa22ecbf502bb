import { type Invoice, listOf, type PaymentIntent, type Subscription, type SubscriptionItem } from './records.ts'
import { newId, nowSeconds } from './store.ts'

/** A paid invoice over the present period of a subscription. */
export function newInvoice(from: {
  subscription: Subscription
  reason: Invoice['billing_reason']
  email: string | null
  intent: PaymentIntent
  number: number
  url: string
}): Invoice {
  const { subscription, intent } = from
  const id = newId('in')
  const created = nowSeconds()
  const items = subscription.items.data
  const total = intent.amount
  return {
    id,
    object: 'invoice',
    created,
    livemode: false,
    amount_due: total,
    amount_paid: total,
    amount_remaining: 0,
    attempt_count: 1,
    attempted: true,
    auto_advance: false,
    billing_reason: from.reason,
    collection_method: 'charge_automatically',
    currency: intent.currency,
    customer: subscription.customer,
    customer_email: from.email,
    description: null,
    discounts: [],
    hosted_invoice_url: `${from.url}/local/invoice/${id}`,
    invoice_pdf: null,
    lines: listOf(
      items.map((item) => newLine(item, id, subscription)),
      `/v1/invoices/${id}/lines`,
    ),
    metadata: {},
    number: `LOCAL-${String(from.number).padStart(4, '0')}`,
    parent: {
      type: 'subscription_details',
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      quote_details: null,
    },
    payments: listOf([newInvoicePayment(id, intent)], `/v1/invoice_payments?invoice=${id}`),
    period_start: items[0]?.current_period_start ?? created,
    period_end: items[0]?.current_period_start ?? created,
    status: 'paid',
    status_transitions: { finalized_at: created, marked_uncollectible_at: null, paid_at: created, voided_at: null },
    subtotal: total,
    total,
  }
}

const newLine = (item: SubscriptionItem, invoice: string, subscription: Subscription) => ({
  id: newId('il'),
  object: 'line_item',
  amount: item.price.unit_amount * item.quantity,
  currency: item.price.currency,
  description: null,
  discounts: [],
  invoice,
  livemode: false,
  metadata: subscription.metadata,
  parent: {
    type: 'subscription_item_details',
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: null,
      proration: false,
      proration_details: null,
      subscription: subscription.id,
      subscription_item: item.id,
    },
  },
  period: { start: item.current_period_start, end: item.current_period_end },
  pricing: {
    type: 'price_details',
    price_details: { price: item.price.id, product: item.price.product },
    unit_amount_decimal: String(item.price.unit_amount),
  },
  quantity: item.quantity,
  subscription: subscription.id,
})

const newInvoicePayment = (invoice: string, intent: PaymentIntent) => ({
  id: newId('inpay'),
  object: 'invoice_payment',
  amount_paid: intent.amount,
  amount_requested: intent.amount,
  created: intent.created,
  currency: intent.currency,
  invoice,
  is_default: true,
  livemode: false,
  payment: { type: 'payment_intent', payment_intent: intent.id },
  status: 'paid',
  status_transitions: { canceled_at: null, paid_at: intent.created },
})
