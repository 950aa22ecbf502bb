/** The version of Stripe's API whose shapes these are. */
export const API_VERSION = '2026-10-28.endive'

export type Metadata = Record<string, string>
interface Base<Name extends string> {
  id: string
  object: Name
  created: number
  livemode: false
  /** Fields that nothing here reads. */
  [field: string]: unknown
}
interface List<T> {
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
}

export interface Product extends Base<'product'> {
  name: string
  description: string | null
  active: boolean
  metadata: Metadata
}

export interface Price extends Base<'price'> {
  active: boolean
  currency: string
  lookup_key: string | null
  product: string
  recurring: { interval: 'day' | 'week' | 'month' | 'year'; interval_count: number; [field: string]: unknown } | null
  type: 'one_time' | 'recurring'
  /** Cents. */
  unit_amount: number
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
  [field: string]: unknown
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
  /** Kept for paying, and left out of every answer. */
  local: {
    items: LineItem[]
    metadata: Metadata
    description: string | null
    setupFutureUsage: string | null
    receiptEmail: string | null
    /** A card whose bank requires its owner's confirmation. */
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
}

/** One stretch of a schedule: a price until `end_date`. Seconds since the epoch. */
interface Phase {
  items: { price: string; quantity: number; [field: string]: unknown }[]
  start_date: number
  end_date: number
  /** Put on the subscription when the phase begins. */
  metadata: Metadata
  [field: string]: unknown
}

export interface Schedule extends Base<'subscription_schedule'> {
  customer: string
  subscription: string | null
  status: 'active' | 'released' | 'canceled'
  current_phase: { start_date: number; end_date: number } | null
  end_behavior: 'release' | 'cancel'
  phases: Phase[]
}

export interface PaymentIntent extends Base<'payment_intent'> {
  amount: number
  currency: string
  customer: string | null
  metadata: Metadata
  status: 'succeeded' | 'requires_payment_method' | 'processing'
  latest_charge: string | null
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
}

export interface PaymentMethod extends Base<'payment_method'> {
  customer: string | null
  type: 'card'
  card: { brand: string; country: string; exp_month: number; exp_year: number; funding: string; last4: string }
  metadata: Metadata
  local: { number: string }
}

export interface Refund extends Base<'refund'> {
  amount: number
  charge: string
  payment_intent: string
  currency: string
  status: 'succeeded' | 'failed'
  metadata: Metadata
}

export interface Dispute extends Base<'dispute'> {
  amount: number
  charge: string
  payment_intent: string
  currency: string
  status: 'needs_response' | 'won' | 'lost'
}

export interface FraudWarning extends Base<'radar.early_fraud_warning'> {
  charge: string
  payment_intent: string
  actionable: boolean
  fraud_type: string
}

export interface SubscriptionItem {
  id: string
  object: 'subscription_item'
  price: Price
  quantity: number
  /** Seconds since the epoch: billing periods live here, not on the subscription. */
  current_period_start: number
  current_period_end: number
  [field: string]: unknown
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
}

export interface InvoiceLine {
  id: string
  object: 'line_item'
  amount: number
  currency: string
  description: string | null
  invoice: string
  period: { start: number; end: number }
  [field: string]: unknown
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
}

interface InvoicePayment {
  id: string
  object: 'invoice_payment'
  invoice: string
  payment: { type: 'payment_intent'; payment_intent: string }
  status: 'paid'
  [field: string]: unknown
}

export interface PortalSession extends Base<'billing_portal.session'> {
  customer: string
  return_url: string | null
  url: string
}

export interface StripeEvent extends Base<'event'> {
  type: string
  data: { object: unknown; previous_attributes?: object }
}

export function listOf<T>(data: T[], url: string, hasMore = false): List<T> {
  return { object: 'list', data, has_more: hasMore, url }
}
