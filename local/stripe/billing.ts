import * as z from 'zod'
import { expand, flag } from './checkout.ts'
import { missing, StripeFault } from './fault.ts'
import type { Payments } from './payment.ts'
import type { PortalSession, Subscription } from './records.ts'
import { changes, get, list, merge, type Route, read, retrieve, same, text } from './routing.ts'
import { newId, nowSeconds, type Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

/** What paying leaves behind: payments, subscriptions, invoices, events, and the portal that manages them. */
export function billingRoutes(options: {
  store: Store
  payments: Payments
  webhooks: Webhooks
  publicUrl: string
}): Route[] {
  const { store, payments, webhooks, publicUrl } = options
  const { value } = store

  return [
    retrieve('/v1/payment_intents', 'payment_intent', value.paymentIntents),
    list('/v1/payment_intents', value.paymentIntents, { customer: text }, (one, input) =>
      same(input.customer, one.customer),
    ),
    retrieve('/v1/charges', 'charge', value.charges),
    list(
      '/v1/charges',
      value.charges,
      { customer: text, payment_intent: text },
      (one, input) => same(input.customer, one.customer) && same(input.payment_intent, one.payment_intent),
    ),
    retrieve('/v1/subscriptions', 'subscription', value.subscriptions),
    list(
      '/v1/subscriptions',
      value.subscriptions,
      { customer: text, status: text },
      (one, { customer: of, status }) =>
        same(of, one.customer) &&
        (status === 'all' || (status === undefined ? one.status !== 'canceled' : status === one.status)),
    ),
    {
      method: 'POST',
      path: '/v1/subscriptions/{id}',
      run(input, id) {
        const request = read(
          z.strictObject({ cancel_at_period_end: flag.optional(), metadata: changes, expand }),
          input,
        )
        const subscription = get(value.subscriptions, 'subscription', id)
        if (subscription.status === 'canceled')
          throw new StripeFault(400, 'A canceled subscription can only update its cancellation_details and metadata.')
        subscription.metadata = merge(subscription.metadata, request.metadata)
        endWithPeriod(subscription, request.cancel_at_period_end ?? subscription.cancel_at_period_end, webhooks)
        return subscription
      },
    },
    {
      method: 'DELETE',
      path: '/v1/subscriptions/{id}',
      run(input, id) {
        read(z.strictObject({ invoice_now: flag.optional(), prorate: flag.optional(), expand }), input)
        const subscription = get(value.subscriptions, 'subscription', id)
        if (subscription.status === 'canceled') throw missing('subscription', id)
        payments.cancel(subscription)
        return subscription
      },
    },
    retrieve('/v1/invoices', 'invoice', value.invoices),
    list(
      '/v1/invoices',
      value.invoices,
      { customer: text, subscription: text, status: text },
      (one, input) =>
        same(input.customer, one.customer) &&
        same(input.status, one.status) &&
        same(input.subscription, one.parent.subscription_details.subscription),
    ),
    retrieve('/v1/events', 'event', value.events),
    list('/v1/events', value.events, { type: text }, (one, { type }) => same(type, one.type)),
    {
      method: 'POST',
      path: '/v1/billing_portal/sessions',
      run(input) {
        const request = read(z.strictObject({ customer: z.string(), return_url: z.url().optional(), expand }), input)
        if (!value.customers[request.customer]) throw missing('customer', request.customer, 'customer')
        const id = newId('bps')
        const portal: PortalSession = {
          id,
          object: 'billing_portal.session',
          created: nowSeconds(),
          livemode: false,
          customer: request.customer,
          return_url: request.return_url ?? null,
          url: `${publicUrl}/local/portal/${id}`,
        }
        value.portals[id] = portal
        return portal
      },
    },
  ]
}

/** Lets a subscription end with its period, or go on after all. */
export function endWithPeriod(subscription: Subscription, end: boolean, webhooks: Webhooks): void {
  const { cancel_at_period_end, cancel_at, canceled_at } = subscription
  Object.assign(subscription, {
    cancel_at_period_end: end,
    cancel_at: end ? (subscription.items.data[0]?.current_period_end ?? null) : null,
    canceled_at: end ? (canceled_at ?? nowSeconds()) : null,
  })
  webhooks.emit('customer.subscription.updated', subscription, { cancel_at_period_end, cancel_at, canceled_at })
}
