import * as z from 'zod'
import { conflict } from '../errors.ts'
import { timestamp } from '../timestamp.ts'
import { type PlanId, planById, planIds } from './plans.ts'

export const subscription = z
  .object({
    status: z.enum(['none', 'active', 'past_due', 'canceled']),
    plan: z.enum(planIds).nullable(),
    currentPeriodEnd: timestamp.nullable(),
    cancelAtPeriodEnd: z.boolean(),
    nextPlan: z.enum(planIds).optional().meta({ description: 'The plan of the next period.' }),
  })
  .meta({ id: 'Subscription' })
export type Subscription = z.infer<typeof subscription>

export const noSubscription: Subscription = {
  status: 'none',
  plan: null,
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
}

/** True while the subscription pays for a machine. */
export const isLive = ({ status }: Subscription): boolean => status === 'active' || status === 'past_due'

/**
 * `ignore`: outdated, or the end of another subscription. `apply`: the event has the present state. `fetch`: of the
 * same second as another event, or of an unknown subscription, so only the provider has the present state.
 */
export function decideSubscriptionEvent(
  user: { subscription: Subscription; subscriptionId: string | null; subscriptionAsOf: number },
  event: { subscription: Subscription; subscriptionId: string; createdSeconds: number; deleted: boolean },
): 'ignore' | 'apply' | 'fetch' {
  if (event.subscriptionId !== user.subscriptionId) return isLive(event.subscription) ? 'fetch' : 'ignore'
  // A deleted subscription never becomes active again under its id.
  if (event.deleted) return 'apply'
  if (event.createdSeconds < user.subscriptionAsOf) return 'ignore'
  return event.createdSeconds === user.subscriptionAsOf ? 'fetch' : 'apply'
}

/** @throws conflict when the user has a live subscription */
export function checkMaySubscribe(subscription: Subscription): void {
  if (isLive(subscription))
    throw conflict('There is already an active subscription. Change or cancel it on the billing page.')
}

/**
 * A larger plan takes effect now, a smaller one with the next period; the present plan cancels a pending change.
 * @throws conflict without a live subscription, while a payment is due, or when it ends with its period
 */
export function decidePlanChange(subscription: Subscription, plan: PlanId): 'now' | 'later' | 'stay' {
  if (!isLive(subscription) || !subscription.plan)
    throw conflict('There is no active subscription. Subscribe on the billing page first.')
  if (subscription.status === 'past_due') throw conflict('A payment is due. Pay it on the billing page first.')
  if (subscription.cancelAtPeriodEnd)
    throw conflict('The subscription ends with its period. Keep it on the billing page first, then change its plan.')
  if (plan === subscription.plan) return 'stay'
  return planById(plan).priceCents > planById(subscription.plan).priceCents ? 'now' : 'later'
}
