import * as z from 'zod'
import { expand, metadata } from './checkout.ts'
import { missing } from './fault.ts'
import type { PortalSession } from './records.ts'
import { get, list, type Route, read, retrieve, same, text } from './routing.ts'
import { newId, nowSeconds, type Store } from './store.ts'
import type { Till } from './till.ts'

const refund = z.strictObject({
  charge: text,
  payment_intent: text,
  amount: z.coerce.number().int().optional(),
  reason: text,
  metadata: metadata.optional(),
  expand,
})

/** What paying leaves behind: payments, cards, refunds, disputes, events, and the portal. */
export function billingRoutes(options: { store: Store; till: Till; publicUrl: string }): Route[] {
  const { store, till, publicUrl } = options
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
    retrieve('/v1/payment_methods', 'payment_method', value.paymentMethods),
    list(
      '/v1/payment_methods',
      value.paymentMethods,
      { customer: text, type: text },
      (one, input) => same(input.customer, one.customer) && same(input.type, one.type),
    ),
    retrieve('/v1/refunds', 'refund', value.refunds),
    list(
      '/v1/refunds',
      value.refunds,
      { charge: text, payment_intent: text },
      (one, input) => same(input.charge, one.charge) && same(input.payment_intent, one.payment_intent),
    ),
    {
      method: 'POST',
      path: '/v1/refunds',
      run(input) {
        const request = read(refund, input)
        if (request.payment_intent) return till.refund(till.chargeOf(request.payment_intent), request.amount)
        return till.refund(get(value.charges, 'charge', request.charge ?? ''), request.amount)
      },
    },
    retrieve('/v1/disputes', 'dispute', value.disputes),
    list(
      '/v1/disputes',
      value.disputes,
      { charge: text, payment_intent: text },
      (one, input) => same(input.charge, one.charge) && same(input.payment_intent, one.payment_intent),
    ),
    retrieve('/v1/radar/early_fraud_warnings', 'radar.early_fraud_warning', value.warnings),
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
