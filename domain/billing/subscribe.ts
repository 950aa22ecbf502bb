import { conflict } from '../errors.ts'
import { iso } from '../time.ts'
import type { CheckoutRecord } from './checkout.ts'
import { isLive, type PlanId, type Subscription } from './plans.ts'

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
