import * as z from 'zod'
import { customerOf } from '../../app/billing/checkout.ts'
import { operation } from '../kit/operation.ts'

export const openBillingPortal = operation({
  id: 'openBillingPortal',
  summary: 'Open the billing provider’s page for cards, invoices and cancelling',
  http: { method: 'POST', path: '/billing/portal' },
  auth: 'session',
  recentSignIn: true,
  audit: ({ actor }) => actor.userId,
  output: z.object({ url: z.url() }),
  errors: ['provider-error'],
  uses: { users: 'write', payments: 'write' },
  run: async ({ actor, deps }) => deps.payments.portal((await customerOf(deps, actor.userId)).customerId),
})
