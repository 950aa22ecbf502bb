import * as z from 'zod'
import { checkOpen } from '../../domain/account/user.ts'
import { planIds } from '../../domain/billing/plans.ts'
import { decidePlanChange, subscription } from '../../domain/billing/subscription.ts'
import { conflict } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const changePlan = operation({
  id: 'changePlan',
  summary: 'Change the plan of the live subscription',
  description:
    'A larger plan begins at once, and the card is charged the difference for the rest of the period. A smaller one ' +
    'begins with the next period; the present plan takes such a change back. The machine takes its new size when it starts next.',
  http: { method: 'POST', path: '/billing/plan' },
  creates: true,
  auth: 'session',
  audit: ({ actor }) => actor.userId,
  input: z.strictObject({ plan: z.enum(planIds) }),
  output: z.object({ subscription }),
  errors: ['conflict', 'provider-error'],
  uses: { users: 'write', payments: 'write' },
  run: async ({ input: { plan }, actor, deps }) => {
    const user = await deps.users.find(actor.userId)
    if (!user?.subscriptionId) throw conflict('There is no live subscription. Subscribe on the billing page first.')
    checkOpen(user)
    const when = decidePlanChange(user.subscription, plan)
    const { subscription } = await deps.payments.changePlan(user.subscriptionId, plan, when)
    return { subscription }
  },
})
