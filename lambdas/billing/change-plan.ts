import * as z from 'zod'
import { checkOpen } from '../../domain/account/user.ts'
import { planIds } from '../../domain/billing/plans.ts'
import { decidePlanChange, subscription } from '../../domain/billing/subscription.ts'
import { conflict } from '../../domain/errors.ts'
import { checkStillCarries } from '../../domain/instance/runtime.ts'
import { operation } from '../kit/operation.ts'

export const changePlan = operation({
  id: 'changePlan',
  summary: 'Change the plan of the active subscription',
  description:
    'A larger plan begins at once, and the card is charged the difference for the rest of the period. A smaller ' +
    'plan begins with the next period, and only if its machine is large enough for the agent’s program. To cancel ' +
    'such a change, choose the present plan. The machine gets its new size when it next starts.',
  http: { method: 'POST', path: '/billing/plan' },
  creates: true,
  auth: 'session',
  recentSignIn: true,
  audit: ({ actor }) => actor.userId,
  input: z.strictObject({ plan: z.enum(planIds) }),
  output: z.object({ subscription }),
  errors: ['conflict', 'provider-error'],
  uses: { instances: 'read', payments: 'write', runtimes: 'read', users: 'write' },
  run: async ({ input: { plan }, actor, deps }) => {
    const [user, instance, offered] = await Promise.all([
      deps.users.find(actor.userId),
      deps.instances.find(actor.userId),
      deps.runtimes.offered(),
    ])
    if (!user?.subscriptionId) throw conflict('There is no active subscription. Subscribe on the billing page first.')
    checkOpen(user)
    const when = decidePlanChange(user.subscription, plan)
    const chosen = offered.find(({ name }) => name === instance?.runtime)
    if (when === 'later' && chosen) checkStillCarries(chosen, plan)
    const { subscription } = await deps.payments.changePlan(user.subscriptionId, plan, when)
    return { subscription }
  },
})
