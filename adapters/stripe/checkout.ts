import type Stripe from 'stripe'
import type { HostedPage, Payments } from '../../app/ports/billing.ts'
import { wholeAmount } from '../../domain/money.ts'
import { iso } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import type { Client } from './client.ts'

export function checkoutOf(client: Client, env: Env): Pick<Payments, 'customer' | 'topUpPage' | 'planPage' | 'portal'> {
  const address = (path: string) => `${env.settings().publicOrigin}${path}`

  /** @param paid page after the payment @param otherwise page after a cancellation */
  const createSession = (paid: string, otherwise: string, params: SessionParams): Promise<HostedPage> =>
    client.call(async (stripe) => {
      const tax = await client.taxParams()
      const { id, url, expires_at } = await stripe.checkout.sessions.create(
        {
          ...params,
          success_url: address(`${paid}?checkout=success`),
          cancel_url: address(`${otherwise}?checkout=canceled`),
          client_reference_id: params.metadata.userId,
          ...tax,
          ...(tax.automatic_tax && { customer_update: { address: 'auto' } }),
        },
        { idempotencyKey: `page-${params.metadata.checkoutId}` },
      )
      if (!url) throw new Error('the session has no page')
      return { sessionId: id, url, expiresAt: iso(expires_at * 1000) }
    })

  return {
    customer: ({ id, email, customerId }) =>
      client.call(async (stripe) => {
        if (customerId) return customerId
        const customer = { email, metadata: { userId: id } }
        return (await stripe.customers.create(customer, { idempotencyKey: `customer-${id}` })).id
      }),

    topUpPage: async ({ userId, email, customerId, checkoutId, amountCents }) => {
      const metadata = { userId, checkoutId, kind: 'topup' }
      const product_data = { name: 'Wallet top-up' }
      return createSession('/wallet', '/wallet', {
        mode: 'payment',
        customer: customerId,
        line_items: [
          { quantity: 1, price_data: { currency: 'usd', unit_amount: wholeAmount(amountCents), product_data } },
        ],
        metadata,
        // Saves the card for automatic top-ups; the page tells the customer.
        payment_intent_data: { metadata, receipt_email: email, setup_future_usage: 'off_session' },
      })
    },

    planPage: async ({ userId, customerId, checkoutId, plan }) => {
      const metadata = { userId, checkoutId, kind: 'subscription', plan }
      return createSession('/', '/billing', {
        mode: 'subscription',
        customer: customerId,
        line_items: [{ quantity: 1, price: await client.priceOf(plan) }],
        metadata,
        subscription_data: { metadata },
      })
    },

    portal: (customer) =>
      client.call(async (stripe) => {
        const { url } = await stripe.billingPortal.sessions.create({ customer, return_url: address('/billing') })
        return { url }
      }),
  }
}

type SessionParams = Stripe.Checkout.SessionCreateParams & { metadata: { userId: string; checkoutId: string } }
