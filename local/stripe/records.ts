/** The version of Stripe's API whose shapes these are. */
export const API_VERSION = '2026-10-28.endive'

export type Metadata = Record<string, string>
export interface Base<Name extends string> {
  id: string
  object: Name
  created: number
  livemode: false
}
export interface List<T> {
  object: 'list'
  data: T[]
  has_more: boolean
  url: string
}

export interface Customer extends Base<'customer'> {
  email: string | null
  name: string | null
  phone: string | null
  description: string | null
  metadata: Metadata
  [more: string]: unknown
}

export interface Product extends Base<'product'> {
  name: string
  description: string | null
  active: boolean
  metadata: Metadata
  [more: string]: unknown
}

export interface Price extends Base<'price'> {
  active: boolean
  currency: string
  lookup_key: string | null
  product: string
  recurring: { interval: 'day' | 'week' | 'month' | 'year'; interval_count: number; [more: string]: unknown } | null
  type: 'one_time' | 'recurring'
  /** Cents. */
  unit_amount: number
  [more: string]: unknown
}

export interface LineItem {
  id: string
  object: 'item'
  amount_subtotal: number
  amount_total: number
  currency: string
  description: string
  price: Price
  quantity: number
  [more: string]: unknown
}

export interface CheckoutSession extends Base<'checkout.session'> {
  mode: 'payment' | 'subscription'
  status: 'open' | 'complete' | 'expired'
  payment_status: 'paid' | 'unpaid' | 'no_payment_required'
  url: string | null
  success_url: string
  cancel_url: string | null
  client_reference_id: string | null
  customer: string | null
  customer_email: string | null
  amount_total: number
  currency: string
  expires_at: number
  metadata: Metadata
  payment_intent: string | null
  subscription: string | null
  invoice: string | null
  [more: string]: unknown
  /** Kept for paying, and left out of every answer. */
  local: {
    items: LineItem[]
    metadata: Metadata
    description: string | null
    setupFutureUsage: string | null
    receiptEmail: string | null
    /** A card whose bank wants its owner to confirm. */
    confirming: string | null
  }
}

export interface InvoiceItem extends Base<'invoiceitem'> {
  amount: number
  currency: string
  customer: string
  description: string | null
  invoice: string
  metadata: Metadata
  [more: string]: unknown
}

/** One stretch of a schedule: a price until `end_date`. Seconds since the epoch. */
export interface Phase {
  items: { price: string; quantity: number; [more: string]: unknown }[]
  start_date: number
  end_date: number
  /** Put on the subscription when the phase begins. */
  metadata: Metadata
  [more: string]: unknown
}

export interface Schedule extends Base<'subscription_schedule'> {
  customer: string
  subscription: string | null
  status: 'active' | 'released' | 'canceled'
  current_phase: { start_date: number; end_date: number } | null
  end_behavior: 'release' | 'cancel'
  phases: Phase[]
  [more: string]: unknown
}

export interface PaymentIntent extends Base<'payment_intent'> {
  amount: number
  currency: string
  customer: string | null
  metadata: Metadata
  status: 'succeeded' | 'requires_payment_method' | 'processing'
  latest_charge: string | null
  [more: string]: unknown
}

export interface Charge extends Base<'charge'> {
  amount: number
  amount_refunded: number
  currency: string
  customer: string | null
  disputed: boolean
  paid: boolean
  payment_intent: string
  refunded: boolean
  metadata: Metadata
  [more: string]: unknown
}

export interface SubscriptionItem {
  id: string
  object: 'subscription_item'
  price: Price
  quantity: number
  /** Seconds since the epoch: billing periods live here, not on the subscription. */
  current_period_start: number
  current_period_end: number
  [more: string]: unknown
}

export interface Subscription extends Base<'subscription'> {
  customer: string
  status: 'active' | 'past_due' | 'canceled'
  cancel_at_period_end: boolean
  cancel_at: number | null
  canceled_at: number | null
  ended_at: number | null
  items: List<SubscriptionItem>
  default_payment_method: string | null
  latest_invoice: string | null
  schedule: string | null
  metadata: Metadata
  [more: string]: unknown
}

export interface InvoiceLine {
  id: string
  object: 'line_item'
  amount: number
  currency: string
  description: string | null
  invoice: string
  period: { start: number; end: number }
  [more: string]: unknown
}

export interface Invoice extends Base<'invoice'> {
  customer: string
  billing_reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update' | 'manual'
  /** Cents. */
  amount_due: number
  amount_paid: number
  amount_remaining: number
  attempt_count: number
  subtotal: number
  total: number
  currency: string
  default_payment_method: string | null
  lines: List<InvoiceLine>
  metadata: Metadata
  number: string | null
  status: 'draft' | 'open' | 'paid' | 'void'
  parent: {
    type: 'subscription_details'
    subscription_details: { metadata: Metadata; subscription: string }
    quote_details: null
  } | null
  payments: List<InvoicePayment>
  [more: string]: unknown
}

export interface InvoicePayment {
  id: string
  object: 'invoice_payment'
  invoice: string
  payment: { type: 'payment_intent'; payment_intent: string }
  status: 'paid'
  [more: string]: unknown
}

export interface PortalSession extends Base<'billing_portal.session'> {
  customer: string
  return_url: string | null
  url: string
  [more: string]: unknown
}

export interface StripeEvent extends Base<'event'> {
  type: string
  data: { object: unknown; previous_attributes?: object }
  [more: string]: unknown
}

export function listOf<T>(data: T[], url: string, hasMore = false): List<T> {
  return { object: 'list', data, has_more: hasMore, url }
}
