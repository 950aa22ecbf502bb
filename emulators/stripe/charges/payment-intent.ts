import type { Charge, Metadata, PaymentIntent, PaymentMethod } from '../records.ts'
import { newId, nowSeconds } from '../store.ts'
import type { Decline } from './cards.ts'

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
export function newPaymentIntent(payment: Payment): { intent: PaymentIntent; charge: Charge } {
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
