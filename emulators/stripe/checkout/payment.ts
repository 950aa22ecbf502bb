import type { Account } from '../account.ts'
import { StripeError } from '../api/error.ts'
import { behaviourOf, cardError, type Decline, defaultCard, genericDecline } from '../charges/cards.ts'
import { applyCardEffects, chargeOf, createPayment, saveCard } from '../charges/charges.ts'
import { newCustomer } from '../customers.ts'
import { finalize, markPaid } from '../invoices/invoice.ts'
import type { CheckoutSession, Customer, PaymentIntent, PaymentMethod } from '../records.ts'
import { nowSeconds, type Store } from '../store.ts'
import { periodInvoice } from '../subscriptions/lifecycle.ts'
import { newSubscription } from '../subscriptions/subscription.ts'

/** How a visitor of a hosted page pays. `debit` is a bank debit, whose money comes, or does not, days later. */
export type PaymentInput = { card: string; confirmed?: boolean } | 'debit'

/** Completes an open session, declines it, or asks for a confirmation. A paid session stays. @throws StripeError */
export async function pay(
  account: Account,
  session: CheckoutSession,
  input: PaymentInput,
): Promise<'paid' | 'confirm'> {
  if (session.status === 'complete') return 'paid'
  if (session.status === 'expired' || session.expires_at <= nowSeconds())
    throw new StripeError(400, 'This Checkout Session has expired.', { code: 'checkout_session_expired' })
  if (input === 'debit') debit(account, session)
  else if (payByCard(account, session, input) === 'confirm') return 'confirm'
  account.store.save()
  // The buyer goes back only when the webhook has taken the events, or has been tried.
  await account.webhooks.deliver()
  return 'paid'
}

/** A bank debit of a completed session arrives, or is returned. */
export function settle(account: Account, session: CheckoutSession, arrived: boolean): void {
  const intent = account.store.value.paymentIntents[session.payment_intent ?? '']
  if (intent?.status !== 'processing') throw new StripeError(400, 'No bank debit is under way.')
  const { id } = intent
  Object.assign(
    intent,
    arrived ? { status: 'succeeded', amount_received: intent.amount } : { status: 'requires_payment_method' },
  )
  Object.assign(
    chargeOf(account, id),
    arrived ? { paid: true, captured: true, status: 'succeeded' } : { status: 'failed' },
  )
  if (arrived) session.payment_status = 'paid'
  account.webhooks.emit(`checkout.session.async_payment_${arrived ? 'succeeded' : 'failed'}`, session)
}

export function expire({ webhooks }: Account, session: CheckoutSession): void {
  Object.assign(session, { status: 'expired', url: null })
  webhooks.emit('checkout.session.expired', session)
}

function payByCard(
  account: Account,
  session: CheckoutSession,
  { card, confirmed }: Exclude<PaymentInput, 'debit'>,
): 'paid' | 'confirm' {
  const { present } = behaviourOf(card)
  if (present === 'confirm' && confirmed === undefined) {
    session.local.confirming = card
    account.store.save()
    return 'confirm'
  }
  if (present === 'confirm' && !confirmed) decline(account, session, card, genericDecline)
  if (present && present !== 'confirm') decline(account, session, card, present)
  if (session.mode === 'payment') payOnce(account, session, card)
  else subscribe(account, session, card)
  return 'paid'
}

function payOnce(account: Account, session: CheckoutSession, number: string): void {
  const { webhooks } = account
  const kept = session.local.setupFutureUsage ? session.customer : null
  const intent = createCharge(account, session, session.customer, saveCard(account, number, kept), null)
  complete(account, session, { payment_intent: intent.id })
  webhooks.emit('payment_intent.succeeded', intent)
  webhooks.emit('checkout.session.completed', session)
  applyCardEffects(account, number, intent)
}

function subscribe(account: Account, session: CheckoutSession, number: string): void {
  const { store, webhooks } = account
  const customer = customerOf(store, session)
  const card = saveCard(account, number, customer.id)
  const subscription = newSubscription(session, customer.id, card)
  store.value.subscriptions[subscription.id] = subscription
  const invoice = periodInvoice(account, subscription, 'subscription_create')
  finalize(store, invoice)
  const intent = createCharge(account, session, customer.id, card, null)
  markPaid(invoice, intent)
  complete(account, session, { customer: customer.id, subscription: subscription.id, invoice: invoice.id })
  webhooks.emit('customer.subscription.created', subscription)
  webhooks.emit('invoice.paid', invoice)
  webhooks.emit('checkout.session.completed', session)
  applyCardEffects(account, number, intent)
}

/** The session is complete while its money is under way. */
function debit(account: Account, session: CheckoutSession): void {
  if (session.mode !== 'payment') throw new StripeError(400, 'A bank debit pays once; subscribe with a card.')
  const intent = createCharge(account, session, session.customer, saveCard(account, defaultCard, null), null)
  Object.assign(intent, { status: 'processing', amount_received: 0 })
  Object.assign(chargeOf(account, intent.id), { paid: false, captured: false, status: 'pending' })
  complete(account, session, { payment_intent: intent.id, payment_status: 'unpaid' })
  account.webhooks.emit('checkout.session.completed', session)
}

function decline(account: Account, session: CheckoutSession, number: string, declined: Decline): never {
  const { store, webhooks } = account
  const intent = createCharge(account, session, session.customer, saveCard(account, number, null), declined)
  session.local.confirming = null
  if (session.mode === 'payment') webhooks.emit('payment_intent.payment_failed', intent)
  store.save()
  void webhooks.deliver()
  throw cardError(declined)
}

function createCharge(
  account: Account,
  session: CheckoutSession,
  customer: string | null,
  card: PaymentMethod,
  declined: Decline | null,
): PaymentIntent {
  const isPayment = session.mode === 'payment'
  return createPayment(account, {
    amount: session.amount_total,
    currency: session.currency,
    customer,
    email: emailOf(account.store, session),
    description: isPayment ? session.local.description : 'Subscription creation',
    metadata: isPayment ? session.local.metadata : {},
    setupFutureUsage: isPayment ? session.local.setupFutureUsage : 'off_session',
    receiptEmail: isPayment ? session.local.receiptEmail : null,
    card,
    declined,
  })
}

function customerOf({ value }: Store, session: CheckoutSession): Customer {
  const known = value.customers[session.customer ?? '']
  if (known) return known
  const created = newCustomer({ email: session.customer_email })
  value.customers[created.id] = created
  return created
}

function complete({ store }: Account, session: CheckoutSession, made: Partial<CheckoutSession>): void {
  const email = emailOf(store, session)
  const customer_details = { address: null, email, name: null, phone: null, tax_exempt: 'none', tax_ids: [] }
  Object.assign(session, { payment_status: 'paid' }, made, { status: 'complete', url: null, customer_details })
  session.local.confirming = null
}

const emailOf = ({ value }: Store, { customer, customer_email }: CheckoutSession) =>
  value.customers[customer ?? '']?.email ?? customer_email
