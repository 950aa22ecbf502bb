import * as z from 'zod'
import { customerOf } from '../../domain/billing/customer.ts'
import { operation } from '../kit/operation.ts'

export const openBillingPortal = operation({
  id: 'openBillingPortal',
  summary: 'Make the billing provider’s page for cards, invoices and cancelling',
  http: { method: 'POST', path: '/billing/portal' },
  auth: 'session',
  limit: 'write',
  audit: ({ actor }) => ({ record: actor.userId }),
  input: z.strictObject({}),
  output: z.object({ url: z.url() }),
  errors: ['provider-error'],
  uses: ['users', 'payments'],
  run: async ({ actor, deps }) =>
    deps.payments.portal((await customerOf(deps, deps.payments, actor.userId)).customerId),
})
