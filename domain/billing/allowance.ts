import type { Ports } from '../ports.ts'
import { iso } from '../time.ts'
import { type FollowPorts, followSeen } from './follow.ts'
import type { PaidPeriod } from './payment-event.ts'
import { isLive, type PlanId, planById } from './plans.ts'

export type AllowancePorts = FollowPorts & Pick<Ports, 'wallets'>

/** What makes a month's credit happen once per user and period. */
export const allowanceKey = (userId: string, periodStart: string): string => `allowance#${userId}#${periodStart}`

/**
 * Each period that was paid includes its credit, unless it is of a second subscription whose payment goes back: then
 * false. The invoice may be told before its subscription is, or after that has ended.
 */
export async function creditPeriod(
  deps: AllowancePorts,
  { userId, subscriptionId, checkoutId, plan, periodStart }: PaidPeriod,
  asOfSeconds: number,
  nowMs: number,
): Promise<boolean> {
  const user = await deps.users.find(userId)
  if (!user) return false
  if (user.subscriptionId !== subscriptionId) {
    const seen = await deps.payments.subscription(subscriptionId)
    if (seen?.userId !== userId) return false
    if (isLive(seen.subscription) && !(await followSeen(deps, user, seen, asOfSeconds, nowMs))) return false
    const page = checkoutId ? await deps.checkouts.find(userId, checkoutId) : null
    if (page?.state === 'refused') return false
  }
  await creditAllowance(deps, userId, plan, periodStart, nowMs)
  return true
}

async function creditAllowance(
  deps: Pick<Ports, 'wallets' | 'events'>,
  userId: string,
  plan: PlanId,
  periodStart: string,
  nowMs: number,
): Promise<void> {
  const { includedMicros, name } = planById(plan)
  if (includedMicros === 0) return
  const key = allowanceKey(userId, periodStart)
  const description = `${name} plan: included credit`
  const line = await deps.wallets.creditOnce(
    userId,
    key,
    includedMicros,
    'subscription_credit',
    description,
    iso(nowMs),
  )
  if (!line) return
  const { id: transactionId, type, amountMicros } = line
  await deps.events.record(userId, 'wallet.credited', { transactionId, type, amountMicros })
}
