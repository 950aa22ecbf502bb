import type { Payments } from '../../app/ports/billing.ts'
import type { Env } from '../env.ts'
import { refund } from './charges.ts'
import { checkoutOf } from './checkout.ts'
import { stripeClient } from './client.ts'
import { invoicesOf } from './invoices.ts'
import { subscriptionsOf } from './subscriptions.ts'
import { readWebhook } from './webhook-events.ts'

export const payments = (env: Env): Payments => {
  const client = stripeClient(env)
  return {
    ...checkoutOf(client, env),
    ...subscriptionsOf(client),
    ...invoicesOf(client),
    refund: (paidId) => client.call((stripe) => refund(stripe, paidId)),
    readEvent: (rawBody, signature, nowMs) => readWebhook(client, rawBody, signature, nowMs),
  }
}
