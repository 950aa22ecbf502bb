import type { Ports } from '../ports.ts'
import { iso } from '../time.ts'
import { type FollowPorts, followSeen, refuseEndedSecond } from './follow.ts'
import type { PaidPeriod } from './payment-event.ts'
import { isLive, planById } from './plans.ts'

export type AllowancePorts = FollowPorts & Pick<Ports, 'wallets'>

/** What makes a month's credit happen once. Of two subscriptions of one second each has its own. */
export const allowanceKey = ({ subscriptionId, periodStart }: Pick<PaidPeriod, 'subscriptionId' | 'periodStart'>) =>
  `allowance#${subscriptionId}#${periodStart}`

/**
 * Each period that was paid includes its credit, unless it is of a second subscription whose payment goes back: then
 * false. The invoice may be told before its subscription is, or after that has ended.
 */
export async function creditPeriod(
  deps: AllowancePorts,
  period: PaidPeriod,
  asOfSeconds: number,
  nowMs: number,
): Promise<boolean> {
  const { userId, subscriptionId, checkoutId } = period
  const user = await deps.users.find(userId)
  if (!user) return false
  if (user.subscriptionId !== subscriptionId) {
    const seen = await deps.payments.subscription(subscriptionId)
    if (seen?.userId !== userId) return false
    if (isLive(seen.subscription)) {
      if (!(await followSeen(deps, user, seen, asOfSeconds, nowMs))) return false
    } else if (await refuseEndedSecond(deps, user, seen)) return false
    const page = checkoutId ? await deps.checkouts.find(userId, checkoutId) : null
    if (page?.state === 'refused') return false
  }
  await creditAllowance(deps, period, nowMs)
  return true
}

async function creditAllowance(
  deps: Pick<Ports, 'wallets' | 'events'>,
  period: PaidPeriod,
  nowMs: number,
): Promise<void> {
  const { userId } = period
  const { includedMicros, name } = planById(period.plan)
  if (includedMicros === 0) return
  const key = allowanceKey(period)
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
