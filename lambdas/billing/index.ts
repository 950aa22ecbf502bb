import { area } from '../kit/area.ts'
import { changePlan } from './change-plan.ts'
import { createSubscriptionCheckout } from './create-subscription-checkout.ts'
import { listInvoices } from './list-invoices.ts'
import { openBillingPortal } from './open-billing-portal.ts'
import { stripeWebhook } from './stripe-webhook.ts'

export const billingArea = area({
  name: 'billing',
  about: 'Plans, subscriptions and invoices.',
  // The provider's webhooks must not wait for other users' open connections.
  reservedConcurrency: 30,
  operations: [createSubscriptionCheckout, changePlan, openBillingPortal, listInvoices, stripeWebhook],
})
