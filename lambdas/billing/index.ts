import { area } from '../kit/area.ts'
import { changePlan } from './change-plan.ts'
import { createSubscriptionCheckout } from './create-subscription-checkout.ts'
import { listInvoices } from './list-invoices.ts'
import { openBillingPortal } from './open-billing-portal.ts'
import { stripeWebhook } from './stripe-webhook.ts'

export const billingArea = area({
  name: 'billing',
  operations: [createSubscriptionCheckout, changePlan, openBillingPortal, listInvoices, stripeWebhook],
})
