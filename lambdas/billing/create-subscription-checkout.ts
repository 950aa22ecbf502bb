import * as z from 'zod'
import { openSubscription } from '../../app/billing/checkout.ts'
import { checkout } from '../../domain/billing/checkout.ts'
import { planIds } from '../../domain/billing/plans.ts'
import { operation } from '../kit/operation.ts'

export const createSubscriptionCheckout = operation({
  id: 'createSubscriptionCheckout',
  summary: 'Create a checkout page to subscribe to a plan',
  description: 'Nothing is charged until a person opens the page and pays. A user has at most one active subscription.',
  http: { method: 'POST', path: '/checkout' },
  creates: true,
  auth: 'user',
  scope: 'mcp:wallet.write',
  commits: true,
  input: z.strictObject({ plan: z.enum(planIds) }),
  output: checkout,
  errors: ['conflict', 'provider-error'],
  uses: { users: 'write', payments: 'write', checkouts: 'write' },
  run: ({ input: { plan }, actor, deps, now, outboxFor }) => openSubscription(deps, actor.userId, plan, now, outboxFor),
})
