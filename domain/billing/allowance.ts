import type { Ports } from '../ports.ts'
import { iso } from '../time.ts'
import { type PlanId, planById } from './plans.ts'

/** What makes a month's credit happen once per user and period. */
export const allowanceKey = (userId: string, periodStart: string): string => `allowance#${userId}#${periodStart}`

export async function creditAllowance(
  deps: Pick<Ports, 'wallets' | 'events'>,
  userId: string,
  plan: PlanId,
  periodStart: string,
  nowMs: number,
): Promise<void> {
  const { includedMicros, name } = planById(plan)
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
