import Stripe from 'stripe'
import type { Payments } from '../../domain/billing/ports.ts'
import { invalid } from '../../domain/errors.ts'
import { wholeAmount } from '../../domain/money.ts'
import { iso } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { type Account, guarded, openAccount } from './account.ts'
import { chargesOf } from './charges.ts'
import { listInvoices } from './invoices.ts'
import { toPaymentEvent } from './payment-event.ts'
import { seenPayment } from './seen-payment.ts'
import { subscriptionsOf } from './subscriptions.ts'

/** Seconds a webhook's signature is good for: Stripe signs each delivery anew. */
const toleranceSeconds = 300

/** Customers, hosted pages, subscriptions, charges and webhooks of Stripe. */
export const payments = (env: Env): Payments => {
  const account = openAccount(env)
  const at = (path: string, outcome: string) => `${env.settings().publicOrigin}${path}?checkout=${outcome}`
  const urls = (path: string) => ({ success_url: at(path, 'success'), cancel_url: at(path, 'canceled') })

  return {
    customer: ({ id, email, customerId }) =>
      guarded(async () => {
        if (customerId) return customerId
        const ask = { email, metadata: { userId: id } }
        return (await (await account.stripe()).customers.create(ask, { idempotencyKey: `customer-${id}` })).id
      }),

    topUpPage: async ({ userId, email, customerId, checkoutId, amountCents }) => {
      const metadata = { userId, checkoutId, kind: 'topup' }
      const product_data = { name: 'Wallet top-up' }
      return openPage(account, `page-${checkoutId}`, {
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

    planPage: ({ userId, customerId, checkoutId, plan }) => {
      const metadata = { userId, checkoutId, kind: 'subscription', plan }
      return guarded(async () =>
        openPage(account, `page-${checkoutId}`, {
          ...urls('/billing'),
          mode: 'subscription',
          customer: customerId,
          client_reference_id: userId,
          line_items: [{ quantity: 1, price: await account.priceOf(plan) }],
          metadata,
          subscription_data: { metadata },
        }),
      )
    },

    portal: (customer) =>
      guarded(async () => {
        const return_url = `${env.settings().publicOrigin}/billing`
        const { url } = await (await account.stripe()).billingPortal.sessions.create({ customer, return_url })
        return { url }
      }),

    invoices: (customerId, page) => guarded(async () => listInvoices(await account.stripe(), customerId, page)),
    ...subscriptionsOf(account),
    ...chargesOf(account),

    readEvent: async (rawBody, signature, nowMs) => {
      const event = verified(rawBody, signature, await guarded(account.webhookSecrets), nowMs)
      return toPaymentEvent(event, {
        planOf: (priceId) => guarded(() => account.planOf(priceId)),
        nextPlan: (scheduleId) => guarded(() => subscriptionsOf(account).nextPlan(scheduleId)),
        payment: (chargeId) => guarded(async () => seenPayment(await account.stripe(), account.planOf, chargeId)),
      })
    },
  }
}

const openPage = (account: Account, idempotencyKey: string, ask: Stripe.Checkout.SessionCreateParams) =>
  guarded(async () => {
    const tax = await account.tax()
    const more = 'automatic_tax' in tax ? { ...tax, customer_update: { address: 'auto' as const } } : {}
    const stripe = await account.stripe()
    const { id, url, expires_at } = await stripe.checkout.sessions.create({ ...ask, ...more }, { idempotencyKey })
    if (!url) throw new Error('the page has no address')
    return { sessionId: id, url, expiresAt: iso(expires_at * 1000) }
  })

/** Several secrets are good while one is being replaced. @throws validation */
function verified(rawBody: string, signature: string | undefined, secrets: string[], nowMs: number): unknown {
  for (const one of signature ? secrets : []) {
    try {
      return Stripe.webhooks.constructEvent(rawBody, signature ?? '', one, toleranceSeconds, undefined, nowMs)
    } catch {
      // Perhaps another secret's.
    }
  }
  throw invalid('stripe-signature', 'it does not hold for this body, or is too old.')
}
