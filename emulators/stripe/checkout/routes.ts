import type { Account } from '../account.ts'
import { StripeError } from '../api/error.ts'
import { get, list, nothing, type Route, read, retrieve, same, text } from '../api/route.ts'
import { listOf } from '../records.ts'
import { expire } from './payment.ts'
import { createSession, newSession } from './session.ts'

export function checkoutRoutes(account: Account): Route[] {
  const { store, pagesUrl } = account
  const { value } = store

  return [
    {
      method: 'POST',
      path: '/v1/checkout/sessions',
      run(input) {
        const created = newSession(read(createSession, input), store, pagesUrl)
        value.sessions[created.id] = created
        return created
      },
    },
    retrieve('/v1/checkout/sessions', 'checkout.session', value.sessions),
    list(
      '/v1/checkout/sessions',
      value.sessions,
      { customer: text, payment_intent: text, subscription: text, status: text },
      (session, input) =>
        same(input.customer, session.customer) &&
        same(input.payment_intent, session.payment_intent) &&
        same(input.subscription, session.subscription) &&
        same(input.status, session.status),
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
          throw new StripeError(400, 'Only Checkout Sessions with a status in ["open"] can be expired.')
        expire(account, session)
        return session
      },
    },
  ]
}
