import type { UserRecord } from '../../domain/account/user.ts'
import type { CheckoutRecord } from '../../domain/billing/checkout.ts'
import { topUpRefused } from '../../domain/billing/mail-texts.ts'
import type { PaidPeriod } from '../../domain/billing/payment-event.ts'
import { planById } from '../../domain/billing/plans.ts'
import { isLive } from '../../domain/billing/subscription.ts'
import { dayLimit } from '../../domain/billing/top-up.ts'
import { conflict } from '../../domain/errors.ts'
import { dateOf, iso } from '../../domain/time.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import { type OutboxPorts, outboxOf, sendMail } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Checkouts, Payments } from '../ports/billing.ts'
import type { Events } from '../ports/chat.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Wallets } from '../ports/wallet.ts'
import { makeOwn, refuseEndedSecond, type SubscriptionPorts } from './subscription.ts'

export type TopUpPorts = OutboxPorts & {
  users: Users
  payments: Payments
  checkouts: Checkouts
  wallets: Wallets
  events: Events
  mail: Mail
}

export type CreditPorts = SubscriptionPorts & { wallets: Wallets }

/**
 * Credits a paid top-up once. A new account's limit is checked again, because many pages may have been open at once. A
 * payment over the limit is refunded, as is one of a closed account, unless it is disputed.
 */
export async function creditTopUp(
  deps: TopUpPorts,
  record: CheckoutRecord,
  paymentId: string | null,
  nowMs: number,
  disputed = false,
): Promise<void> {
  const user = await deps.users.find(record.userId)
  if (!user || (record.state === 'refused' && disputed)) return
  // A disputed payment is not refunded, because the bank takes the money back: the ledger records both entries.
  if (user.eraseAt && record.state !== 'credited' && !disputed) return refuse(deps, record, user, paymentId)
  if (record.state === 'pending' || record.state === 'failed') {
    const limitMicros = dayLimit(user.createdAt, nowMs)
    const topUp = { checkoutId: record.id, amountMicros: record.amountMicros }
    const within =
      limitMicros === null || (await deps.checkouts.count(user.id, dateOf(nowMs), { ...topUp, limitMicros }))
    if (!within) return refuse(deps, record, user, paymentId)
  }
  if (record.state === 'failed') await deps.checkouts.reopen(record.userId, record.id)
  if (record.state === 'refused') return refuse(deps, record, user, paymentId)
  const description = record.kind === 'auto-topup' ? 'Automatic top-up' : 'Top-up'
  const line = await deps.wallets.creditCheckout(record, description, iso(nowMs))
  if (line) await recordLine(deps, user.id, line)
}

export async function recordLine({ events }: { events: Events }, userId: string, line: Transaction): Promise<void> {
  const { id: transactionId, type, amountMicros } = line
  await events.record(userId, amountMicros > 0 ? 'wallet.credited' : 'wallet.charged', {
    transactionId,
    type,
    amountMicros,
  })
}

/** Records the refusal before the refund, so that nothing credits the payment meanwhile. */
async function refuse(
  deps: TopUpPorts,
  record: CheckoutRecord,
  { id, email, eraseAt }: UserRecord,
  paymentId: string | null,
): Promise<void> {
  if (record.state === 'failed') await deps.checkouts.reopen(id, record.id)
  const letter = topUpRefused(email, record.amountMicros, eraseAt ? 'closed' : 'limit')
  const outbox = outboxOf(deps, id, [sendMail(deps, letter)])
  const isFirst = await deps.checkouts.end(id, record.id, 'refused', outbox)
  const now = isFirst ? null : await deps.checkouts.find(id, record.id)
  if (now && now.state !== 'refused') return
  if (!paymentId) throw conflict('A refused payment has no id yet; deliver again.')
  await deps.payments.refund(paymentId)
  if (isFirst) await outbox.flush()
}

/** The idempotency key of a month's credit; subscriptions that start in the same second have different keys. */
export const allowanceKey = ({ subscriptionId, periodStart }: Pick<PaidPeriod, 'subscriptionId' | 'periodStart'>) =>
  `allowance#${subscriptionId}#${periodStart}`

/**
 * Credits a paid period; its invoice may precede its subscription, or follow the subscription's end. False for a second
 * subscription or a closed account, whose payment is refunded.
 */
export async function creditPeriod(
  deps: CreditPorts,
  period: PaidPeriod,
  asOfSeconds: number,
  nowMs: number,
  disputed = false,
): Promise<boolean> {
  const { userId, subscriptionId, checkoutId } = period
  const user = await deps.users.find(userId)
  if (!user) return false
  if (user.eraseAt && !disputed) return creditedBefore(deps, period)
  if (user.subscriptionId !== subscriptionId) {
    const seen = await deps.payments.subscription(subscriptionId)
    if (seen?.userId !== userId) return false
    if (isLive(seen.subscription)) {
      if (!(await makeOwn(deps, user, seen, asOfSeconds, nowMs))) return false
    } else if (await refuseEndedSecond(deps, user, seen)) return false
    const page = checkoutId ? await deps.checkouts.find(userId, checkoutId) : null
    if (page?.state === 'refused') return false
  }
  await creditAllowance(deps, period, nowMs)
  return true
}

async function creditedBefore(deps: CreditPorts, period: PaidPeriod): Promise<boolean> {
  if (await deps.wallets.wasCredited(period.userId, allowanceKey(period))) return true
  await deps.payments.undoSubscription(period.subscriptionId)
  return false
}

async function creditAllowance(
  deps: { wallets: Wallets; events: Events },
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
  if (line) await recordLine(deps, userId, line)
}
