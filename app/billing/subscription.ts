import type { UserRecord } from '../../domain/account/user.ts'
import { paymentFailed, subscriptionRefunded } from '../../domain/billing/mail-texts.ts'
import {
  allowanceKey,
  type EventOf,
  type PaidPeriod,
  type ProviderSubscription,
} from '../../domain/billing/payment-event.ts'
import type { StepOf } from '../../domain/billing/payment-steps.ts'
import { planById } from '../../domain/billing/plans.ts'
import { decideSubscriptionEvent, isLive } from '../../domain/billing/subscription.ts'
import { ofGroup } from '../../domain/notifications/letter.ts'
import { iso } from '../../domain/time.ts'
import { outboxOf, sendMail } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Checkouts, Payments } from '../ports/billing.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Intents } from '../ports/outbox.ts'
import type { Wallets } from '../ports/wallet.ts'
import { recordLine } from '../wallet/record-line.ts'
import { type ProvisionPorts, provision, suspend } from './provision.ts'

export type SubscriptionPorts = ProvisionPorts & {
  users: Users
  payments: Payments
  checkouts: Checkouts
  wallets: Wallets
  mail: Mail
  outbox: Intents
}

export async function followSubscription(
  deps: SubscriptionPorts,
  event: EventOf<'subscription-changed'>,
  nowMs: number,
): Promise<void> {
  const user = await deps.users.find(event.userId)
  if (!user) return
  const step = decideSubscriptionEvent(user, event)
  if (step === 'ignore') return
  const current = step === 'fetch' ? await deps.payments.subscription(event.subscriptionId) : event
  if (current?.userId === user.id) await makeOwn(deps, user, current, event.createdSeconds, nowMs)
}

/**
 * Credits a paid period. Its invoice may precede its subscription, or follow the subscription's end. The payment of a
 * second subscription, or of a closed account, is refunded instead.
 */
export async function creditPeriod(
  deps: SubscriptionPorts,
  { period, asOfSeconds, isDisputed }: StepOf<'credit-period'>,
  nowMs: number,
): Promise<void> {
  const { userId, subscriptionId, checkoutId } = period
  const user = await deps.users.find(userId)
  if (!user) return
  if (user.eraseAt && !isDisputed) return undoUncredited(deps, period)
  if (user.subscriptionId !== subscriptionId) {
    const newest = await deps.payments.subscription(subscriptionId)
    if (newest?.userId !== userId) return
    if (isLive(newest.subscription)) {
      if (!(await makeOwn(deps, user, newest, asOfSeconds, nowMs))) return
    } else if (await refuseEndedSecond(deps, user, newest)) return
    const page = checkoutId ? await deps.checkouts.find(userId, checkoutId) : null
    if (page?.state === 'refused') return
  }
  await creditAllowance(deps, period, nowMs)
}

async function undoUncredited({ wallets, payments }: SubscriptionPorts, period: PaidPeriod): Promise<void> {
  if (!(await wallets.wasCredited(period.userId, allowanceKey(period))))
    await payments.undoSubscription(period.subscriptionId)
}

async function creditAllowance(deps: SubscriptionPorts, period: PaidPeriod, nowMs: number): Promise<void> {
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

export async function reportUnpaidPeriod(deps: SubscriptionPorts, unpaid: EventOf<'period-unpaid'>): Promise<void> {
  const user = await deps.users.find(unpaid.userId)
  if (!user || user.eraseAt || user.subscriptionId !== unpaid.subscriptionId) return
  const letter = ofGroup(user, 'money', paymentFailed(user.email, unpaid.amountCents, deps.settings.publicOrigin))
  if (letter) await deps.mail.send(letter)
  await deps.events.record(user.id, 'subscription.payment_failed', {
    amountCents: unpaid.amountCents,
    paymentEventId: unpaid.eventId,
  })
}

/**
 * Sets or updates the user's subscription. If two were paid at once, the second is ended and refunded. False when this
 * one is not, or no longer, the user's live subscription.
 */
async function makeOwn(
  deps: SubscriptionPorts,
  user: UserRecord,
  current: ProviderSubscription,
  asOfSeconds: number,
  nowMs: number,
): Promise<boolean> {
  const { subscription, subscriptionId } = current
  const other = user.subscriptionId !== subscriptionId
  if (other && !isLive(subscription)) return false
  if (other && (user.eraseAt || (await liveSubscriptionOf(deps, user)))) {
    await refuseSecond(deps, user, current)
    return false
  }
  const change = { subscription, subscriptionId, asOfSeconds, replaces: user.subscriptionId }
  // Another run wrote first; the next delivery reads its result.
  if (!(await deps.users.setSubscription(user.id, change))) return afterLostWrite(deps, user.id, subscriptionId)
  if (JSON.stringify(user.subscription) !== JSON.stringify(subscription))
    await deps.events.record(user.id, 'subscription.changed', { ...subscription })
  if (current.givenUp) await deps.payments.endSubscription(subscriptionId)
  // A closed account starts nothing, and its files are deleted with it.
  if (user.eraseAt) return isLive(subscription)
  if (isLive(subscription)) await provision(deps, user.id, subscription.plan ?? 'starter', nowMs)
  else await suspend(deps, user.id, subscriptionId, nowMs)
  return isLive(subscription)
}

/** Also asks the provider, because the event of a subscription's end may not have arrived. */
async function liveSubscriptionOf(
  { payments }: SubscriptionPorts,
  { subscription, subscriptionId }: UserRecord,
): Promise<ProviderSubscription | null> {
  const now = subscriptionId && isLive(subscription) ? await payments.subscription(subscriptionId) : null
  return now && isLive(now.subscription) ? now : null
}

async function refuseSecond(deps: SubscriptionPorts, user: UserRecord, current: ProviderSubscription): Promise<void> {
  const { checkoutId, subscriptionId } = current
  const letter = subscriptionRefunded(user.email, user.eraseAt ? 'closed' : 'second')
  const outbox = outboxOf(deps, user.id, [sendMail(deps, letter)])
  const isFirst =
    checkoutId === null
      ? await deps.checkouts.noteRefused(user.id, subscriptionId, outbox)
      : await deps.checkouts.end(user.id, checkoutId, 'refused', outbox)
  await deps.payments.undoSubscription(subscriptionId)
  if (isFirst) await outbox.flush()
}

/** Refuses a subscription that ended before its first event, if it was bought in addition to the live one. */
async function refuseEndedSecond(
  deps: SubscriptionPorts,
  user: UserRecord,
  ended: ProviderSubscription,
): Promise<boolean> {
  const held = await liveSubscriptionOf(deps, user)
  if (!held || held.boughtSeconds > ended.boughtSeconds) return false
  await refuseSecond(deps, user, ended)
  return true
}

/** A newer event of the same subscription has the same effect; any other lost write is delivered again. */
async function afterLostWrite(deps: SubscriptionPorts, userId: string, subscriptionId: string): Promise<boolean> {
  const user = await deps.users.find(userId)
  if (user?.subscriptionId === subscriptionId) return isLive(user.subscription)
  throw new Error('the subscription is changing right now; deliver again')
}
