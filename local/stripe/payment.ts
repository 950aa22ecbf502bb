import { behaviourOf, cardFault, type Decline, generic, plainCard } from './cards.ts'
import type { PaymentMethod } from './charge-records.ts'
import { StripeFault } from './fault.ts'
import { finalize, markPaid } from './invoice.ts'
import { newSubscription } from './money.ts'
import type { CheckoutSession, Customer, PaymentIntent } from './records.ts'
import { newId, nowSeconds, type Store } from './store.ts'
import type { Subscribing } from './subscribing.ts'
import type { Till } from './till.ts'
import type { Webhooks } from './webhooks.ts'

/** How a visitor of a hosted page pays. `debit` is a bank debit, whose money comes, or does not, days later. */
export type Means = { card: string; confirmed?: boolean } | 'debit'

export interface Payments {
  /** Completes an open session, declines it, or asks for a confirmation. A paid session stays. @throws StripeFault */
  pay(session: CheckoutSession, means: Means): Promise<'paid' | 'confirm'>
  /** A bank debit of a completed session arrives, or is returned. */
  settle(session: CheckoutSession, arrived: boolean): void
  expire(session: CheckoutSession): void
  /** What time brings: sessions expire, subscriptions renew or end. `now` is seconds since the epoch. */
  sweep(now: number): void
}

export function startPayments(options: {
  store: Store
  webhooks: Webhooks
  till: Till
  subscribing: Subscribing
}): Payments {
  const { store, webhooks, till, subscribing } = options
  const { value } = store

  function charge(
    session: CheckoutSession,
    customer: string | null,
    card: PaymentMethod,
    declined: Decline | null,
  ): PaymentIntent {
    const isPayment = session.mode === 'payment'
    return till.book({
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
    const intent = charge(session, session.customer, till.saveCard(number, kept), null)
    complete(session, { payment_intent: intent.id })
    webhooks.emit('payment_intent.succeeded', intent)
    webhooks.emit('checkout.session.completed', session)
    till.aftermath(number, intent)
  }

  function subscribe(session: CheckoutSession, number: string): void {
    const customer = customerOf(session)
    const card = till.saveCard(number, customer.id)
    const subscription = newSubscription(session, customer.id, card)
    value.subscriptions[subscription.id] = subscription
    const invoice = subscribing.periodInvoice(subscription, 'subscription_create')
    finalize(store, invoice)
    const intent = charge(session, customer.id, card, null)
    markPaid(invoice, intent)
    complete(session, { customer: customer.id, subscription: subscription.id, invoice: invoice.id })
    webhooks.emit('customer.subscription.created', subscription)
    webhooks.emit('invoice.paid', invoice)
    webhooks.emit('checkout.session.completed', session)
    till.aftermath(number, intent)
  }

  /** The session is complete while its money is under way. */
  function debit(session: CheckoutSession): void {
    if (session.mode !== 'payment') throw new StripeFault(400, 'A bank debit pays once; subscribe with a card.')
    const intent = charge(session, session.customer, till.saveCard(plainCard, null), null)
    Object.assign(intent, { status: 'processing', amount_received: 0 })
    Object.assign(till.chargeOf(intent.id), { paid: false, captured: false, status: 'pending' })
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
    const intent = charge(session, session.customer, till.saveCard(number, null), declined)
    session.local.confirming = null
    if (session.mode === 'payment') webhooks.emit('payment_intent.payment_failed', intent)
    store.save()
    void webhooks.deliver()
    throw cardFault(declined)
  }

  function expire(session: CheckoutSession): void {
    Object.assign(session, { status: 'expired', url: null })
    webhooks.emit('checkout.session.expired', session)
  }

  function payByCard(session: CheckoutSession, { card, confirmed }: Exclude<Means, 'debit'>): 'paid' | 'confirm' {
    const { present } = behaviourOf(card)
    if (present === 'confirm' && confirmed === undefined) {
      session.local.confirming = card
      store.save()
      return 'confirm'
    }
    if (present === 'confirm' && !confirmed) decline(session, card, generic)
    if (present && present !== 'confirm') decline(session, card, present)
    if (session.mode === 'payment') payOnce(session, card)
    else subscribe(session, card)
    return 'paid'
  }

  return {
    expire,
    async pay(session, means) {
      if (session.status === 'complete') return 'paid'
      if (session.status === 'expired' || session.expires_at <= nowSeconds())
        throw new StripeFault(400, 'This Checkout Session has expired.', { code: 'checkout_session_expired' })
      if (means === 'debit') debit(session)
      else if (payByCard(session, means) === 'confirm') return 'confirm'
      store.save()
      // The buyer goes back only when the seller has heard of it, or had its chance.
      await webhooks.deliver()
      return 'paid'
    },
    settle(session, arrived) {
      const intent = value.paymentIntents[session.payment_intent ?? '']
      if (intent?.status !== 'processing') throw new StripeFault(400, 'No bank debit is under way.')
      const { id } = intent
      Object.assign(
        intent,
        arrived ? { status: 'succeeded', amount_received: intent.amount } : { status: 'requires_payment_method' },
      )
      Object.assign(
        till.chargeOf(id),
        arrived ? { paid: true, captured: true, status: 'succeeded' } : { status: 'failed' },
      )
      if (arrived) session.payment_status = 'paid'
      webhooks.emit(`checkout.session.async_payment_${arrived ? 'succeeded' : 'failed'}`, session)
    },
    sweep(now) {
      const before = value.deliveries.length
      for (const session of Object.values(value.sessions))
        if (session.status === 'open' && session.expires_at <= now) expire(session)
      for (const subscription of Object.values(value.subscriptions)) {
        const end = () => subscription.items.data[0]?.current_period_end ?? Number.POSITIVE_INFINITY
        while (subscription.status === 'active' && end() <= now) {
          if (subscription.cancel_at_period_end) subscribing.cancel(subscription)
          else subscribing.renew(subscription)
        }
      }
      if (value.deliveries.length === before) return
      store.save()
      void webhooks.deliver()
    },
  }
}

export function newCustomer(from: Partial<Customer>): Customer {
  return {
    id: newId('cus'),
    object: 'customer',
    created: nowSeconds(),
    livemode: false,
    address: null,
    balance: 0,
    currency: null,
    default_source: null,
    delinquent: false,
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    email: from.email ?? null,
    name: from.name ?? null,
    phone: from.phone ?? null,
    description: from.description ?? null,
    metadata: from.metadata ?? {},
  }
}
