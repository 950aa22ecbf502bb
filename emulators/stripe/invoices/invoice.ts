import {
  type Invoice,
  type InvoiceLine,
  listOf,
  type Metadata,
  type PaymentIntent,
  type Price,
  type Subscription,
  type SubscriptionItem,
} from '../records.ts'
import { newId, nowSeconds, type Store } from '../store.ts'

interface Draft {
  customer: string
  reason: Invoice['billing_reason']
  currency: string
  subscription: Subscription | null
  metadata?: Metadata
  description?: string | null
  defaultPaymentMethod?: string | null
}

/** A draft with no lines yet, kept in the store. */
export function newInvoice(store: Store, from: Draft, pagesUrl: string): Invoice {
  const id = newId('in')
  const created = nowSeconds()
  const { subscription } = from
  const item = subscription?.items.data[0]
  const made: Invoice = {
    id,
    object: 'invoice',
    created,
    livemode: false,
    amount_due: 0,
    amount_paid: 0,
    amount_remaining: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: false,
    billing_reason: from.reason,
    collection_method: 'charge_automatically',
    currency: from.currency,
    customer: from.customer,
    customer_email: store.value.customers[from.customer]?.email ?? null,
    default_payment_method: from.defaultPaymentMethod ?? null,
    description: from.description ?? null,
    discounts: [],
    hosted_invoice_url: `${pagesUrl}/invoice/${id}`,
    invoice_pdf: null,
    lines: listOf<InvoiceLine>([], `/v1/invoices/${id}/lines`),
    metadata: from.metadata ?? {},
    number: null,
    parent: subscription && {
      type: 'subscription_details',
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      quote_details: null,
    },
    payments: listOf([], `/v1/invoice_payments?invoice=${id}`),
    period_start: item?.current_period_start ?? created,
    period_end: item?.current_period_start ?? created,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: 0,
    total: 0,
  }
  store.value.invoices[id] = made
  if (subscription) subscription.latest_invoice = id
  return made
}

export function addLine(invoice: Invoice, line: InvoiceLine): void {
  invoice.lines.data.push(line)
  const total = invoice.lines.data.reduce((sum, { amount }) => sum + amount, 0)
  Object.assign(invoice, {
    subtotal: total,
    total,
    amount_due: Math.max(0, total),
    amount_remaining: Math.max(0, total),
  })
}

/** A line over the present period, or over what is left of it when prices change: `amount` is below zero then for the old. */
export const periodLine = (
  invoice: Invoice,
  subscription: Subscription,
  item: SubscriptionItem,
  from: { price: Price; amount: number; start: number; proration: boolean },
): InvoiceLine => ({
  id: newId('il'),
  object: 'line_item',
  amount: from.amount,
  currency: from.price.currency,
  description: null,
  discounts: [],
  invoice: invoice.id,
  livemode: false,
  metadata: subscription.metadata,
  parent: {
    type: 'subscription_item_details',
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: null,
      proration: from.proration,
      proration_details: null,
      subscription: subscription.id,
      subscription_item: item.id,
    },
  },
  period: { start: from.start, end: item.current_period_end },
  pricing: {
    type: 'price_details',
    price_details: { price: from.price.id, product: from.price.product },
    unit_amount_decimal: String(from.price.unit_amount),
  },
  quantity: item.quantity,
  subscription: subscription.id,
})

export const extraLine = (
  invoice: Invoice,
  item: { amount: number; currency: string; description: string | null },
) => ({
  id: newId('il'),
  object: 'line_item' as const,
  ...item,
  discounts: [],
  invoice: invoice.id,
  livemode: false,
  metadata: {},
  parent: { type: 'invoice_item_details', invoice_item_details: { proration: false }, subscription_item_details: null },
  period: { start: invoice.created, end: invoice.created },
  pricing: null,
  quantity: 1,
})

/** From here on the invoice can be paid, and no longer changed. */
export function finalize(store: Store, invoice: Invoice): void {
  const numbered = Object.values(store.value.invoices).filter(({ number }) => number !== null).length
  Object.assign(invoice, { status: 'open', number: `LOCAL-${String(numbered + 1).padStart(4, '0')}` })
  Object.assign(Object(invoice.status_transitions), { finalized_at: nowSeconds() })
}

export function markPaid(invoice: Invoice, intent: PaymentIntent | null): void {
  const now = nowSeconds()
  Object.assign(invoice, { status: 'paid', amount_paid: invoice.amount_due, amount_remaining: 0 })
  Object.assign(Object(invoice.status_transitions), { paid_at: now })
  if (!intent) return
  invoice.payments.data.push({
    id: newId('inpay'),
    object: 'invoice_payment',
    amount_paid: intent.amount,
    amount_requested: intent.amount,
    created: now,
    currency: intent.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status: 'paid',
    status_transitions: { canceled_at: null, paid_at: now },
  })
}
