import { conflict } from '../errors.ts'
import type { Basics, Ports } from '../ports.ts'
import { iso } from '../time.ts'
import type { CheckoutRecord } from './checkout.ts'
import { customerOf } from './customer.ts'
import { isLive, type PlanId, planById, type Subscription } from './plans.ts'
import type { HostedPage } from './ports.ts'

/** @throws conflict when the user has a live subscription: one is all a user can have */
export function checkMaySubscribe(subscription: Subscription): void {
  if (isLive(subscription)) {
    throw conflict('There is a live subscription already. Change or cancel that one on the billing page.')
  }
}

/** The record of a subscription's checkout: it credits nothing by itself. */
export const subscriptionCheckout = (id: string, userId: string, plan: PlanId, nowMs: number): CheckoutRecord => ({
  id,
  userId,
  kind: 'subscription',
  amountMicros: 0,
  plan,
  sessionId: null,
  createdAt: iso(nowMs),
  state: 'pending',
})

/** Makes the page on which a user subscribes. @throws conflict */
export async function openSubscription(
  deps: Pick<Ports, 'users' | 'payments' | 'checkouts'> & Basics,
  userId: string,
  plan: PlanId,
  nowMs: number,
): Promise<{ id: string; page: HostedPage }> {
  const { email, customerId, subscription } = await customerOf(deps, deps.payments, userId)
  checkMaySubscribe(subscription)
  const record = subscriptionCheckout(deps.ids.next('chk'), userId, plan, nowMs)
  await deps.checkouts.create(record)
  const page = await deps.payments.planPage({ userId, email, customerId, checkoutId: record.id, plan })
  await deps.checkouts.setSession(userId, record.id, page.sessionId)
  return { id: record.id, page }
}

/**
 * When a change of plan happens: a larger plan at once for the difference, a smaller one with the next period, and
 * the present one takes back a change to come.
 * @throws conflict without a live subscription, while a payment is due, or when it ends with its period
 */
export function decideChange(subscription: Subscription, plan: PlanId): 'now' | 'later' | 'stay' {
  if (!isLive(subscription) || !subscription.plan)
    throw conflict('There is no live subscription. Subscribe on the billing page first.')
  if (subscription.status === 'past_due') throw conflict('A payment is due. Pay it on the billing page first.')
  if (subscription.cancelAtPeriodEnd) {
    throw conflict('The subscription ends with its period. Keep it on the billing page first, then change its plan.')
  }
  if (plan === subscription.plan) return 'stay'
  return planById(plan).priceCents > planById(subscription.plan).priceCents ? 'now' : 'later'
}
