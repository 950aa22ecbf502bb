/** Cards, charges, the payment of invoices, refunds and disputes. */

import type { Account } from '../account.ts'
import { missing, StripeError } from '../api/error.ts'
import { finalize, markPaid } from '../invoices/invoice.ts'
import type { Charge, Dispute, Invoice, PaymentIntent, PaymentMethod, Refund } from '../records.ts'
import { newId, nowSeconds, type Store } from '../store.ts'
import { behaviourOf, type Decline, defaultCard, newCard } from './cards.ts'
import { newPaymentIntent, type Payment } from './payment-intent.ts'

export function saveCard({ store: { value } }: Account, number: string, customer: string | null): PaymentMethod {
  const card = newCard(number, customer)
  value.paymentMethods[card.id] = card
  return card
}

/** Makes a payment, paid or declined. */
export function createPayment({ store: { value } }: Account, payment: Payment): PaymentIntent {
  const { intent, charge } = newPaymentIntent(payment)
  value.paymentIntents[intent.id] = intent
  value.charges[charge.id] = charge
  return intent
}

/** The card an invoice is charged to: its own, the customer's chosen one, or any that is saved. */
function cardFor({ value }: Store, invoice: Invoice, preferred?: string | null): PaymentMethod | undefined {
  const settings = value.customers[invoice.customer]?.invoice_settings
  const chosen = Object(settings).default_payment_method
  const ids = [invoice.default_payment_method, preferred, chosen]
  const named = ids.map((id) => (typeof id === 'string' ? value.paymentMethods[id] : undefined)).find(Boolean)
  return named ?? Object.values(value.paymentMethods).findLast(({ customer }) => customer === invoice.customer)
}

/** Pays an open invoice from a saved card. Answers why not; `silent` then leaves neither a charge nor an event. */
export function payInvoice(
  account: Account,
  invoice: Invoice,
  preferred?: string | null,
  silent = false,
): Decline | null {
  const { store, webhooks } = account
  if (invoice.status === 'draft') finalize(store, invoice)
  if (invoice.amount_due <= 0) markPaid(invoice, null)
  else {
    // A customer without any saved card has one that pays.
    const card = cardFor(store, invoice, preferred) ?? saveCard(account, defaultCard, invoice.customer)
    const declined = behaviourOf(card.local.number).later
    if (declined && silent) return declined
    const intent = createPayment(account, {
      amount: invoice.amount_due,
      currency: invoice.currency,
      customer: invoice.customer,
      email: store.value.customers[invoice.customer]?.email ?? null,
      description: invoice.parent ? 'Subscription update' : 'Payment for Invoice',
      metadata: {},
      setupFutureUsage: null,
      card,
      declined,
    })
    Object.assign(invoice, { attempted: true, attempt_count: invoice.attempt_count + 1 })
    if (declined) {
      webhooks.emit('invoice.payment_failed', invoice)
      return declined
    }
    markPaid(invoice, intent)
  }
  webhooks.emit('invoice.paid', invoice)
  return null
}

export function refund({ store: { value }, webhooks }: Account, charge: Charge, cents?: number): Refund {
  const left = charge.amount - charge.amount_refunded
  const amount = cents ?? left
  if (left === 0)
    throw new StripeError(400, `Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' })
  if (charge.disputed)
    throw new StripeError(400, `Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    })
  if (amount < 1 || amount > left)
    throw new StripeError(400, `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, {
      param: 'amount',
    })
  const made: Refund = {
    id: newId('re'),
    object: 'refund',
    created: nowSeconds(),
    livemode: false,
    amount,
    balance_transaction: newId('txn'),
    charge: charge.id,
    currency: charge.currency,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: null,
    receipt_number: null,
    status: 'succeeded',
  }
  value.refunds[made.id] = made
  const before = charge.amount_refunded
  Object.assign(charge, { amount_refunded: before + amount, refunded: before + amount === charge.amount })
  webhooks.emit('refund.created', made)
  webhooks.emit('charge.refunded', charge, { amount_refunded: before })
  return made
}

export function dispute({ store: { value }, webhooks }: Account, charge: Charge): Dispute {
  if (charge.disputed) throw new StripeError(400, 'This charge is disputed already.')
  const made: Dispute = {
    id: newId('du'),
    object: 'dispute',
    created: nowSeconds(),
    livemode: false,
    amount: charge.amount - charge.amount_refunded,
    balance_transactions: [],
    charge: charge.id,
    currency: charge.currency,
    is_charge_refundable: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: 'needs_response',
  }
  value.disputes[made.id] = made
  charge.disputed = true
  webhooks.emit('charge.dispute.created', made)
  return made
}

export function closeDispute({ webhooks }: Account, made: Dispute, status: 'won' | 'lost'): void {
  if (made.status !== 'needs_response') throw new StripeError(400, 'This dispute is closed already.')
  made.status = status
  if (status === 'won') webhooks.emit('charge.dispute.funds_reinstated', made)
  webhooks.emit('charge.dispute.closed', made, { status: 'needs_response' })
}

export function warnOfFraud({ store: { value }, webhooks }: Account, charge: Charge): void {
  const warning = {
    id: newId('issfr'),
    object: 'radar.early_fraud_warning' as const,
    created: nowSeconds(),
    livemode: false as const,
    actionable: true,
    charge: charge.id,
    fraud_type: 'unauthorized_use_of_card',
    payment_intent: charge.payment_intent,
  }
  value.warnings[warning.id] = warning
  webhooks.emit('radar.early_fraud_warning.created', warning)
}

export function chargeOf({ store: { value } }: Account, intentId: string): Charge {
  const found = value.charges[String(value.paymentIntents[intentId]?.latest_charge)]
  if (!found) throw missing('payment_intent', intentId, 'payment_intent')
  return found
}

/** The later effects of some test cards. */
export function applyCardEffects(account: Account, number: string, intent: PaymentIntent): void {
  const { effect } = behaviourOf(number)
  if (effect === 'dispute') dispute(account, chargeOf(account, intent.id))
  if (effect === 'warning') warnOfFraud(account, chargeOf(account, intent.id))
}
