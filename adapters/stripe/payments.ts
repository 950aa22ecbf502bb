import Stripe from 'stripe'
import type { Payments } from '../../domain/billing/ports.ts'
import { invalid } from '../../domain/errors.ts'
import type { Env } from '../env.ts'
import { openAccount } from './account.ts'
import { chargesOf } from './charges.ts'
import { guarded } from './guarded.ts'
import { listInvoices } from './invoices.ts'
import { openPages, pages } from './pages.ts'
import { toPaymentEvent } from './payment-event.ts'
import { seenPayment } from './seen-payment.ts'
import { subscriptionsOf } from './subscriptions.ts'

/** Seconds a webhook's signature is good for: Stripe signs each delivery anew. */
const toleranceSeconds = 300

/** Customers, hosted pages, subscriptions, charges and webhooks of Stripe. */
export const payments = (env: Env): Payments => {
  const account = openAccount(env)
  const { urls, open } = openPages(env)

  return {
    ...pages(env),

    planPage: ({ userId, customerId, checkoutId, plan }) => {
      const metadata = { userId, checkoutId, kind: 'subscription', plan }
      return guarded(async () =>
        open(`page-${checkoutId}`, {
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
