import type { UserRecord } from '../../domain/account/user.ts'
import { newGracePeriod } from '../../domain/billing/grace-period.ts'
import { subscriptionRefunded } from '../../domain/billing/mail-texts.ts'
import type { EventOf, ProviderSubscription } from '../../domain/billing/payment-event.ts'
import { type PlanId, type PlanLimits, trialPlan } from '../../domain/billing/plans.ts'
import { decideSubscriptionEvent, isLive } from '../../domain/billing/subscription.ts'
import { type InstanceRecord, isAsleep, isEnding } from '../../domain/instance/instance.ts'
import { newInstance } from '../../domain/instance/life-cycle.ts'
import { type ChangePorts, changeInstance, recordChange } from '../instance/change.ts'
import { outboxOf, sendMail } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { Checkouts, GracePeriods, Payments } from '../ports/billing.ts'
import type { Instances } from '../ports/instance.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Intents } from '../ports/outbox.ts'

type ProvisionPorts = ChangePorts & { gracePeriods: GracePeriods } & Basics
export type SubscriptionPorts = ProvisionPorts & {
  users: Users
  payments: Payments
  checkouts: Checkouts
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
 * Sets or updates the user's subscription. If two were paid at once, the second is ended and refunded. False when this
 * one is not, or no longer, the user's live subscription.
 */
export async function makeOwn(
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
  if (JSON.stringify(user.subscription) !== JSON.stringify(subscription)) {
    await deps.events.record(user.id, 'subscription.changed', { ...subscription })
  }
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
export async function refuseEndedSecond(
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

export async function provision(deps: ProvisionPorts, userId: string, plan: PlanId, nowMs: number): Promise<void> {
  await deps.gracePeriods.end(userId)
  await giveInstance(deps, userId, plan, nowMs)
}

/**
 * Ensures an instance of the plan's size, running unless the user paused it. A trial only creates one: an instance
 * created in the meantime belongs to a plan.
 */
export async function giveInstance(
  deps: ChangePorts & Basics,
  userId: string,
  plan: PlanLimits['id'],
  nowMs: number,
): Promise<void> {
  const record = await deps.instances.find(userId)
  if (record && record.state !== 'deleted' && isEnding(record))
    throw new Error('the former instance is being deleted; deliver again')
  if (!record || record.state === 'deleted') {
    const ids = { instanceId: deps.ids.next('ins'), userId }
    const made = newInstance(ids, plan, deps.settings.imageVersion, nowMs, record)
    // A concurrent run may have created one of another size.
    if (!(await deps.instances.create(made))) return giveInstance(deps, userId, plan, nowMs)
    await recordChange(deps, made)
  } else if (plan !== trialPlan.id) {
    if (record.plan !== plan) await setPlan(deps, record, plan)
    if (isSuspended(record)) await changeInstance(deps, userId, 'wake', 'subscribed', nowMs)
  }
  // Also when nothing changed: the delivery before this one may have ended before this line.
  await deps.bus.publish('instance.wanted', userId)
}

export async function suspend(
  deps: ProvisionPorts,
  userId: string,
  subscriptionId: string,
  nowMs: number,
): Promise<void> {
  const record = await deps.instances.find(userId)
  if (!record || isEnding(record)) return
  await deps.gracePeriods.start(newGracePeriod(userId, subscriptionId, nowMs))
  const { changed } = await changeInstance(deps, userId, 'suspend', 'billing', nowMs)
  if (!changed) await deps.bus.publish('instance.wanted', userId)
}

/** The next start uses the new size. If another write wins, the event's next delivery repeats this one. */
async function setPlan(
  { instances }: { instances: Instances },
  record: InstanceRecord,
  plan: PlanLimits['id'],
): Promise<void> {
  const next = { ...record, plan, version: record.version + 1 }
  if (!(await instances.save(next, record))) throw new Error('the instance is changing right now; deliver again')
}

const isSuspended = (instance: InstanceRecord): boolean => instance.reason === 'billing' && isAsleep(instance)
