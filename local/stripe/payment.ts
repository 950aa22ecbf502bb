import { StripeFault } from './fault.ts'
import { newInvoice } from './invoice.ts'
import { newPayment, newSubscription, periodEnd } from './money.ts'
import type { CheckoutSession, Customer, Invoice, PaymentIntent, Subscription } from './records.ts'
import { newId, nowSeconds, type Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

/** How a card turns out. Further cards (3-D Secure, insufficient funds …) are further outcomes. */
export type Outcome = 'succeeded' | 'declined'

export interface Payments {
  /** Completes an open session, or declines it. A session already paid stays as it is. @throws StripeFault */
  pay(session: CheckoutSession, outcome: Outcome): Promise<void>
  expire(session: CheckoutSession): void
  cancel(subscription: Subscription): void
  /** What time brings: sessions expire, subscriptions renew or end. `now` is seconds since the epoch. */
  sweep(now: number): void
}

export function startPayments(options: { store: Store; webhooks: Webhooks; publicUrl: string }): Payments {
  const { store, webhooks } = options
  const { value } = store

  function charge(session: CheckoutSession, customer: string | null, declined: boolean): PaymentIntent {
    const isPayment = session.mode === 'payment'
    return book({
      amount: session.amount_total,
      currency: session.currency,
      customer,
      email: emailOf(session),
      description: isPayment ? session.local.description : 'Subscription creation',
      metadata: isPayment ? session.local.metadata : {},
      setupFutureUsage: isPayment ? session.local.setupFutureUsage : 'off_session',
      declined,
    })
  }

  function book(payment: Parameters<typeof newPayment>[0]): PaymentIntent {
    const made = newPayment(payment)
    value.paymentIntents[made.intent.id] = made.intent
    value.charges[made.charge.id] = made.charge
    return made.intent
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

  function invoice(subscription: Subscription, reason: Invoice['billing_reason'], intent: PaymentIntent): Invoice {
    const made = newInvoice({
      subscription,
      reason,
      intent,
      email: value.customers[subscription.customer]?.email ?? null,
      number: Object.keys(value.invoices).length + 1,
      url: options.publicUrl,
    })
    value.invoices[made.id] = made
    subscription.latest_invoice = made.id
    return made
  }

  function payOnce(session: CheckoutSession): void {
    const intent = charge(session, session.customer, false)
    complete(session, { payment_intent: intent.id })
    webhooks.emit('payment_intent.succeeded', intent)
    webhooks.emit('checkout.session.completed', session)
  }

  function subscribe(session: CheckoutSession): void {
    const customer = customerOf(session)
    const subscription = newSubscription(session, customer.id)
    value.subscriptions[subscription.id] = subscription
    const paid = invoice(subscription, 'subscription_create', charge(session, customer.id, false))
    complete(session, { customer: customer.id, subscription: subscription.id, invoice: paid.id })
    webhooks.emit('customer.subscription.created', subscription)
    webhooks.emit('invoice.paid', paid)
    webhooks.emit('checkout.session.completed', session)
  }

  function complete(session: CheckoutSession, made: Partial<CheckoutSession>): void {
    const email = emailOf(session)
    const customer_details = { address: null, email, name: null, phone: null, tax_exempt: 'none', tax_ids: [] }
    Object.assign(session, made, { status: 'complete', payment_status: 'paid', url: null, customer_details })
  }

  function decline(session: CheckoutSession): never {
    const intent = charge(session, session.customer, true)
    if (session.mode === 'payment') webhooks.emit('payment_intent.payment_failed', intent)
    store.save()
    void webhooks.deliver()
    throw new StripeFault(402, 'Your card was declined.', {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'generic_decline',
    })
  }

  function expire(session: CheckoutSession): void {
    Object.assign(session, { status: 'expired', url: null })
    webhooks.emit('checkout.session.expired', session)
  }

  function cancel(subscription: Subscription): void {
    const now = nowSeconds()
    Object.assign(subscription, { status: 'canceled', canceled_at: subscription.canceled_at ?? now, ended_at: now })
    webhooks.emit('customer.subscription.deleted', subscription)
  }

  function renew(subscription: Subscription): void {
    const items = subscription.items.data
    const previous = items.map(({ current_period_start, current_period_end }) => ({
      current_period_start,
      current_period_end,
    }))
    for (const item of items) {
      item.current_period_start = item.current_period_end
      item.current_period_end = periodEnd(item.current_period_start, item.price.recurring)
    }
    const intent = book({
      amount: items.reduce((sum, { price, quantity }) => sum + price.unit_amount * quantity, 0),
      currency: items[0]?.price.currency ?? 'usd',
      customer: subscription.customer,
      email: value.customers[subscription.customer]?.email ?? null,
      description: 'Subscription update',
      metadata: {},
      setupFutureUsage: null,
      declined: false,
    })
    const paid = invoice(subscription, 'subscription_cycle', intent)
    webhooks.emit('customer.subscription.updated', subscription, { items: { data: previous } })
    webhooks.emit('invoice.paid', paid)
  }

  return {
    expire,
    cancel,
    async pay(session, outcome) {
      if (session.status === 'complete') return
      if (session.status === 'expired' || session.expires_at <= nowSeconds())
        throw new StripeFault(400, 'This Checkout Session has expired.', { code: 'checkout_session_expired' })
      if (outcome === 'declined') decline(session)
      if (session.mode === 'payment') payOnce(session)
      else subscribe(session)
      store.save()
      // The buyer goes back only when the seller has heard of it, or had its chance.
      await webhooks.deliver()
    },
    sweep(now) {
      const before = value.deliveries.length
      for (const session of Object.values(value.sessions))
        if (session.status === 'open' && session.expires_at <= now) expire(session)
      for (const subscription of Object.values(value.subscriptions)) {
        const end = () => subscription.items.data[0]?.current_period_end ?? Number.POSITIVE_INFINITY
        while (subscription.status === 'active' && end() <= now) {
          if (subscription.cancel_at_period_end) cancel(subscription)
          else renew(subscription)
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
