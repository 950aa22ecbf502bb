import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { createSubscriptionCheckout } from './create-subscription-checkout.ts'
import { stripeWebhook } from './stripe-webhook.ts'

export const billingArea = area({
  name: 'billing',
  access,
  operations: [createSubscriptionCheckout, stripeWebhook],
})
