import * as z from 'zod'
import { createSession, expand, flag, metadata, newSession } from './checkout.ts'
import { StripeFault } from './fault.ts'
import { newCustomer, type Payments } from './payment.ts'
import { listOf } from './records.ts'
import { changes, get, list, merge, nothing, type Route, read, retrieve, same, text, without } from './routing.ts'
import type { Store } from './store.ts'

const customer = z.strictObject({
  email: z.string().max(512).optional(),
  name: z.string().optional(),
  phone: z.string().optional(),
  description: z.string().optional(),
  metadata: metadata.optional(),
  expand,
})

/** Customers, the catalogue, and checkout. */
export function checkoutRoutes(options: { store: Store; payments: Payments; publicUrl: string }): Route[] {
  const { store, payments, publicUrl } = options
  const { value } = store

  return [
    {
      method: 'POST',
      path: '/v1/customers',
      run(input) {
        const created = newCustomer(read(customer, input))
        value.customers[created.id] = created
        return created
      },
    },
    {
      method: 'POST',
      path: '/v1/customers/{id}',
      run(input, id) {
        const { metadata: change, ...request } = read(customer.extend({ metadata: changes }), input)
        const found = get(value.customers, 'customer', id)
        return Object.assign(found, without(request), { metadata: merge(found.metadata, change) })
      },
    },
    retrieve('/v1/customers', 'customer', value.customers),
    list('/v1/customers', value.customers, { email: text }, (one, { email }) => same(email, one.email)),
    retrieve('/v1/products', 'product', value.products),
    list('/v1/products', value.products, { active: flag.optional() }, (one, { active }) => same(active, one.active)),
    retrieve('/v1/prices', 'price', value.prices),
    list(
      '/v1/prices',
      value.prices,
      {
        active: flag.optional(),
        lookup_keys: z.array(z.string()).max(10).optional(),
        product: text,
        type: text,
        currency: text,
      },
      (one, { active, lookup_keys, product, type, currency }) =>
        same(active, one.active) &&
        same(product, one.product) &&
        same(type, one.type) &&
        same(currency, one.currency) &&
        (!Array.isArray(lookup_keys) || lookup_keys.includes(one.lookup_key ?? '')),
    ),
    {
      method: 'POST',
      path: '/v1/checkout/sessions',
      run(input) {
        const created = newSession(read(createSession, input), store, publicUrl)
        value.sessions[created.id] = created
        return created
      },
    },
    retrieve('/v1/checkout/sessions', 'checkout.session', value.sessions),
    list(
      '/v1/checkout/sessions',
      value.sessions,
      { customer: text, payment_intent: text, subscription: text, status: text },
      (one, input) =>
        same(input.customer, one.customer) &&
        same(input.payment_intent, one.payment_intent) &&
        same(input.subscription, one.subscription) &&
        same(input.status, one.status),
    ),
    {
      method: 'GET',
      path: '/v1/checkout/sessions/{id}/line_items',
      run: (_, id) =>
        listOf(get(value.sessions, 'checkout.session', id).local.items, `/v1/checkout/sessions/${id}/line_items`),
    },
    {
      method: 'POST',
      path: '/v1/checkout/sessions/{id}/expire',
      run(input, id) {
        read(nothing, input)
        const session = get(value.sessions, 'checkout.session', id)
        if (session.status !== 'open')
          throw new StripeFault(400, 'Only Checkout Sessions with a status in ["open"] can be expired.')
        payments.expire(session)
        return session
      },
    },
  ]
}
