import type Stripe from 'stripe'
import * as z from 'zod'
import type { HostedPage, Pages } from '../../domain/billing/ports.ts'
import { wholeAmount } from '../../domain/money.ts'
import { iso } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { guarded } from './guarded.ts'
import { post } from './post.ts'
import { stripeSecret, taxOf } from './secret.ts'

const made = z.object({ id: z.string() })
const session = made.extend({ url: z.url(), expires_at: z.int() })

export type PageForm = Stripe.Checkout.SessionCreateParams

/** Customers and hosted pages of Stripe, for functions that do without its library. */
export const pages = (env: Env): Pages => {
  const { customer, urls, open } = openPages(env)
  return {
    customer,
    topUpPage: async ({ userId, email, customerId, checkoutId, amountCents }) => {
      const metadata = { userId, checkoutId, kind: 'topup' }
      const product_data = { name: 'Wallet top-up' }
      return open(`page-${checkoutId}`, {
        ...urls('/wallet'),
        mode: 'payment',
        customer: customerId,
        client_reference_id: userId,
        line_items: [
          { quantity: 1, price_data: { currency: 'usd', unit_amount: wholeAmount(amountCents), product_data } },
        ],
        metadata,
        // The card is saved so that an automatic top-up can be charged to it; the page says so.
        payment_intent_data: { metadata, receipt_email: email, setup_future_usage: 'off_session' },
      })
    },
  }
}

/** What every page is opened with. */
export function openPages(env: Env) {
  const readSecret = stripeSecret(env)
  const at = (path: string, outcome: string) => `${env.settings().publicOrigin}${path}?checkout=${outcome}`
  return {
    urls: (path: string) => ({ success_url: at(path, 'success'), cancel_url: at(path, 'canceled') }),

    customer: ({ id, email, customerId }: Parameters<Pages['customer']>[0]): Promise<string> =>
      guarded(async () => {
        if (customerId) return customerId
        const form = { email, metadata: { userId: id } }
        const ask = { path: '/v1/customers', form, idempotencyKey: `customer-${id}` }
        return (await post({ ...(await readSecret()), ...ask }, made)).id
      }),

    open: (idempotencyKey: string, form: PageForm): Promise<HostedPage> =>
      guarded(async () => {
        const account = await readSecret()
        const tax = taxOf(account)
        const more = 'automatic_tax' in tax ? { ...tax, customer_update: { address: 'auto' } } : {}
        const ask = { path: '/v1/checkout/sessions', form: { ...form, ...more }, idempotencyKey }
        const { id, url, expires_at } = await post({ ...account, ...ask }, session)
        return { sessionId: id, url, expiresAt: iso(expires_at * 1000) }
      }),
  }
}
