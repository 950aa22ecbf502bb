import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { changePlan } from './change-plan.ts'
import { createSubscriptionCheckout } from './create-subscription-checkout.ts'
import { listInvoices } from './list-invoices.ts'
import { openBillingPortal } from './open-billing-portal.ts'
import { stripeWebhook } from './stripe-webhook.ts'

export const billingArea = area({
  name: 'billing',
  access,
  operations: [createSubscriptionCheckout, changePlan, openBillingPortal, listInvoices, stripeWebhook],
})
