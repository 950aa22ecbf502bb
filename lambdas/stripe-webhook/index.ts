import { area } from '../kit/area.ts'
import { stripeWebhook } from './stripe-webhook.ts'

/** The reserve serves only Stripe: payments must not wait for users' open connections. */
export const stripeWebhookArea = area({
  name: 'stripe-webhook',
  tag: 'billing',
  operations: [stripeWebhook],
  reservedConcurrency: 30,
})
