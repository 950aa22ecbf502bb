import type { UserRecord } from '../account/user.ts'
import { changeInstance, recordChange } from '../instance/change.ts'
import type { InstanceRecord } from '../instance/instance.ts'
import { newInstance } from '../instance/life-cycle.ts'
import type { Basics, Ports } from '../ports.ts'
import { iso } from '../time.ts'
import type { CheckoutRecord, PaymentEvent } from './checkout.ts'
import { isLive, type PlanId, planById } from './plans.ts'

type Of<K extends PaymentEvent['kind']> = Extract<PaymentEvent, { kind: K }>
export type BillingPorts = Pick<Ports, 'users' | 'wallets' | 'checkouts' | 'instances' | 'bus' | 'events'> & Basics

/**
 * Does what a verified payment event means. Each effect happens once however often the event comes, so a delivery
 * after a crash does the rest; events that are not about a record of ours change nothing.
 */
export async function applyPaymentEvent(deps: BillingPorts, event: PaymentEvent, nowMs: number): Promise<void> {
  if (event.kind === 'topup-paid') return creditTopUp(deps, event, nowMs)
  if (event.kind === 'subscription-changed') return followSubscription(deps, event, nowMs)
  if (event.kind === 'period-paid') return creditAllowance(deps, event, nowMs)
}

/** True when the record is the one the page was made for; the amount is the record's, never the event's. */
export const isPaidBy = (record: CheckoutRecord | null, event: Of<'topup-paid'>): record is CheckoutRecord =>
  record !== null &&
  record.userId === event.userId &&
  record.kind === 'topup' &&
  record.sessionId !== null &&
  record.sessionId === event.sessionId

/** False for the end of a subscription that is not the user's live one: two pages may both have been paid. */
export const concerns = (
  user: Pick<UserRecord, 'subscription' | 'subscriptionId'>,
  event: Of<'subscription-changed'>,
): boolean => isLive(event.subscription) || !isLive(user.subscription) || user.subscriptionId === event.subscriptionId

async function creditTopUp(deps: BillingPorts, event: Of<'topup-paid'>, nowMs: number): Promise<void> {
  const record = await deps.checkouts.find(event.userId, event.checkoutId)
  if (!isPaidBy(record, event)) return
  const line = await deps.wallets.creditCheckout(record, 'Top-up', iso(nowMs))
  if (line)
    await deps.events.record(record.userId, 'wallet.credited', {
      transactionId: line.id,
      type: line.type,
      amountMicros: line.amountMicros,
    })
}

async function creditAllowance(deps: BillingPorts, event: Of<'period-paid'>, nowMs: number): Promise<void> {
  const { userId, plan, periodStart } = event
  if (!(await deps.users.find(userId))) return
  const { includedMicros, name } = planById(plan)
  const key = `allowance#${userId}#${periodStart}`
  const line = await deps.wallets.creditOnce(
    userId,
    key,
    includedMicros,
    'subscription_credit',
    `${name} plan: included credit`,
    iso(nowMs),
  )
  if (line)
    await deps.events.record(userId, 'wallet.credited', {
      transactionId: line.id,
      type: line.type,
      amountMicros: line.amountMicros,
    })
}

async function followSubscription(deps: BillingPorts, event: Of<'subscription-changed'>, nowMs: number): Promise<void> {
  const { userId, subscription, subscriptionId, createdSeconds: asOfSeconds } = event
  const user = await deps.users.find(userId)
  if (!user || !concerns(user, event)) return
  if (!(await deps.users.setSubscription(userId, { subscription, subscriptionId, asOfSeconds }))) return
  if (JSON.stringify(user.subscription) !== JSON.stringify(subscription)) {
    await deps.events.record(userId, 'subscription.changed', { ...subscription })
  }
  if (isLive(subscription)) await provide(deps, userId, subscription.plan ?? 'starter', nowMs)
  else await withdraw(deps, userId, nowMs)
}

/** Gives a subscriber an instance of the plan's size, running unless the user paused it. */
async function provide(deps: BillingPorts, userId: string, plan: PlanId, nowMs: number): Promise<void> {
  const record = await deps.instances.find(userId)
  if (!record || record.state === 'deleted') {
    const made = newInstance({ instanceId: deps.ids.next('ins'), userId }, plan, deps.settings.imageVersion, nowMs)
    if (await deps.instances.create(made)) await recordChange(deps, made)
  } else {
    if (record.plan !== plan) await setPlan(deps, record, plan)
    if (isSuspended(record)) await changeInstance(deps, userId, 'wake', 'subscribed', nowMs)
  }
  // Also when nothing was left to do: the delivery before this one may have ended before it got here.
  await deps.bus.publish('instance.wanted', userId)
}

async function withdraw(deps: BillingPorts, userId: string, nowMs: number): Promise<void> {
  const record = await deps.instances.find(userId)
  if (!record || record.state === 'deleted') return
  const { changed } = await changeInstance(deps, userId, 'suspend', 'billing', nowMs)
  if (!changed) await deps.bus.publish('instance.wanted', userId)
}

/** The next start takes the new size; a write that loses to another is repeated by the event's next delivery. */
async function setPlan(deps: BillingPorts, record: InstanceRecord, plan: PlanId): Promise<void> {
  const next = { ...record, plan, version: record.version + 1 }
  if (!(await deps.instances.save(next, record))) throw new Error('the instance is changing right now; deliver again')
}

const isSuspended = ({ state, reason }: InstanceRecord): boolean =>
  reason === 'billing' && (state === 'paused' || state === 'pausing')
