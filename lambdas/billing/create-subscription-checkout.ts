import * as z from 'zod'
import { checkout } from '../../domain/billing/checkout.ts'
import { planIds } from '../../domain/billing/plans.ts'
import { checkMaySubscribe, subscriptionCheckout } from '../../domain/billing/subscribe.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const createSubscriptionCheckout = operation({
  id: 'createSubscriptionCheckout',
  summary: 'Make a hosted page on which to subscribe to a plan',
  description: 'Nothing is charged until a person opens the page and pays. One live subscription a user.',
  http: { method: 'POST', path: '/checkout' },
  auth: 'user',
  scope: 'mcp:wallet.write',
  limit: 'write',
  input: z.strictObject({ plan: z.enum(planIds) }),
  output: checkout,
  errors: ['conflict', 'provider-error'],
  uses: ['users', 'payments', 'checkouts'],
  run: async ({ input: { plan }, actor, deps, now }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    checkMaySubscribe(user.subscription)
    const customerId = await deps.payments.customer(user)
    if (!user.customerId) await deps.users.setCustomer(user.id, customerId)
    const { id } = user
    const record = subscriptionCheckout(deps.ids.next('chk'), id, plan, now)
    await deps.checkouts.create(record)
    const page = await deps.payments.planPage({ userId: id, customerId, checkoutId: record.id, plan })
    await deps.checkouts.setSession(id, record.id, page.sessionId)
    return { id: record.id, url: page.url, expiresAt: page.expiresAt }
  },
})
