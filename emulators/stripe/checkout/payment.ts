import { StripeError } from '../api/error.ts'
import { behaviourOf, cardError, type Decline, defaultCard, genericDecline } from '../charges/cards.ts'
import type { Charges } from '../charges/charges.ts'
import { newCustomer } from '../customers.ts'
import { finalize, markPaid } from '../invoices/invoice.ts'
import type { CheckoutSession, Customer, PaymentIntent, PaymentMethod } from '../records.ts'
import { nowSeconds, type Store } from '../store.ts'
import type { Lifecycle } from '../subscriptions/lifecycle.ts'
import { newSubscription } from '../subscriptions/subscription.ts'
import type { Webhooks } from '../webhooks.ts'

/** How a visitor of a hosted page pays. `debit` is a bank debit, whose money comes, or does not, days later. */
export type PaymentInput = { card: string; confirmed?: boolean } | 'debit'

export interface CheckoutPayments {
  /** Completes an open session, declines it, or asks for a confirmation. A paid session stays. @throws StripeError */
  pay(session: CheckoutSession, input: PaymentInput): Promise<'paid' | 'confirm'>
  /** A bank debit of a completed session arrives, or is returned. */
  settle(session: CheckoutSession, arrived: boolean): void
  expire(session: CheckoutSession): void
}

export function createCheckoutPayments(options: {
  store: Store
  webhooks: Webhooks
  charges: Charges
  lifecycle: Lifecycle
}): CheckoutPayments {
  const { store, webhooks, charges, lifecycle } = options
  const { value } = store

  function createCharge(
    session: CheckoutSession,
    customer: string | null,
    card: PaymentMethod,
    declined: Decline | null,
  ): PaymentIntent {
    const isPayment = session.mode === 'payment'
    return charges.create({
      amount: session.amount_total,
      currency: session.currency,
      customer,
      email: emailOf(session),
      description: isPayment ? session.local.description : 'Subscription creation',
      metadata: isPayment ? session.local.metadata : {},
      setupFutureUsage: isPayment ? session.local.setupFutureUsage : 'off_session',
      receiptEmail: isPayment ? session.local.receiptEmail : null,
      card,
      declined,
    })
  }

  const emailOf = ({ customer, customer_email }: CheckoutSession) =>
    value.customers[customer ?? '']?.email ?? customer_email

  function customerOf(session: CheckoutSession): Customer {
    const known = value.customers[session.customer ?? '']
    if (known) return known
    const created = newCustomer({ email: session.customer_email })
    value.customers[created.id] = created
    return created
  }

  function payOnce(session: CheckoutSession, number: string): void {
    const kept = session.local.setupFutureUsage ? session.customer : null
    const intent = createCharge(session, session.customer, charges.saveCard(number, kept), null)
    complete(session, { payment_intent: intent.id })
    webhooks.emit('payment_intent.succeeded', intent)
    webhooks.emit('checkout.session.completed', session)
    charges.applyCardEffects(number, intent)
  }

  function subscribe(session: CheckoutSession, number: string): void {
    const customer = customerOf(session)
    const card = charges.saveCard(number, customer.id)
    const subscription = newSubscription(session, customer.id, card)
    value.subscriptions[subscription.id] = subscription
    const invoice = lifecycle.periodInvoice(subscription, 'subscription_create')
    finalize(store, invoice)
    const intent = createCharge(session, customer.id, card, null)
    markPaid(invoice, intent)
    complete(session, { customer: customer.id, subscription: subscription.id, invoice: invoice.id })
    webhooks.emit('customer.subscription.created', subscription)
    webhooks.emit('invoice.paid', invoice)
    webhooks.emit('checkout.session.completed', session)
    charges.applyCardEffects(number, intent)
  }

  /** The session is complete while its money is under way. */
  function debit(session: CheckoutSession): void {
    if (session.mode !== 'payment') throw new StripeError(400, 'A bank debit pays once; subscribe with a card.')
    const intent = createCharge(session, session.customer, charges.saveCard(defaultCard, null), null)
    Object.assign(intent, { status: 'processing', amount_received: 0 })
    Object.assign(charges.chargeOf(intent.id), { paid: false, captured: false, status: 'pending' })
    complete(session, { payment_intent: intent.id, payment_status: 'unpaid' })
    webhooks.emit('checkout.session.completed', session)
  }

  function complete(session: CheckoutSession, made: Partial<CheckoutSession>): void {
    const email = emailOf(session)
    const customer_details = { address: null, email, name: null, phone: null, tax_exempt: 'none', tax_ids: [] }
    Object.assign(session, { payment_status: 'paid' }, made, { status: 'complete', url: null, customer_details })
    session.local.confirming = null
  }

  function decline(session: CheckoutSession, number: string, declined: Decline): never {
    const intent = createCharge(session, session.customer, charges.saveCard(number, null), declined)
    session.local.confirming = null
    if (session.mode === 'payment') webhooks.emit('payment_intent.payment_failed', intent)
    store.save()
    void webhooks.deliver()
    throw cardError(declined)
  }

  function expire(session: CheckoutSession): void {
    Object.assign(session, { status: 'expired', url: null })
    webhooks.emit('checkout.session.expired', session)
  }

  function payByCard(
    session: CheckoutSession,
    { card, confirmed }: Exclude<PaymentInput, 'debit'>,
  ): 'paid' | 'confirm' {
    const { present } = behaviourOf(card)
    if (present === 'confirm' && confirmed === undefined) {
      session.local.confirming = card
      store.save()
      return 'confirm'
    }
    if (present === 'confirm' && !confirmed) decline(session, card, genericDecline)
    if (present && present !== 'confirm') decline(session, card, present)
    if (session.mode === 'payment') payOnce(session, card)
    else subscribe(session, card)
    return 'paid'
  }

  return {
    expire,
    async pay(session, input) {
      if (session.status === 'complete') return 'paid'
      if (session.status === 'expired' || session.expires_at <= nowSeconds())
        throw new StripeError(400, 'This Checkout Session has expired.', { code: 'checkout_session_expired' })
      if (input === 'debit') debit(session)
      else if (payByCard(session, input) === 'confirm') return 'confirm'
      store.save()
      // The buyer goes back only when the webhook has taken the events, or has been tried.
      await webhooks.deliver()
      return 'paid'
    },
    settle(session, arrived) {
      const intent = value.paymentIntents[session.payment_intent ?? '']
      if (intent?.status !== 'processing') throw new StripeError(400, 'No bank debit is under way.')
      const { id } = intent
      Object.assign(
        intent,
        arrived ? { status: 'succeeded', amount_received: intent.amount } : { status: 'requires_payment_method' },
      )
      Object.assign(
        charges.chargeOf(id),
        arrived ? { paid: true, captured: true, status: 'succeeded' } : { status: 'failed' },
      )
      if (arrived) session.payment_status = 'paid'
      webhooks.emit(`checkout.session.async_payment_${arrived ? 'succeeded' : 'failed'}`, session)
    },
  }
}
