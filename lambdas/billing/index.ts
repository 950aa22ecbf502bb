import { area } from '../kit/area.ts'
import { changePlan } from './change-plan.ts'
import { createSubscriptionCheckout } from './create-subscription-checkout.ts'
import { listInvoices } from './list-invoices.ts'
import { openBillingPortal } from './open-billing-portal.ts'

export const billingArea = area({
  name: 'billing',
  about: 'Plans, subscriptions and invoices.',
  operations: [createSubscriptionCheckout, changePlan, openBillingPortal, listInvoices],
})
