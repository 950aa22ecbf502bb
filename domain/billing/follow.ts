import type { UserRecord } from '../account/user.ts'
import type { Ports } from '../ports.ts'
import { paidTwice } from './mails.ts'
import type { EventOf, SeenSubscription } from './payment-event.ts'
import { isLive } from './plans.ts'
import { type ProvidePorts, provide, withdraw } from './provide.ts'

export type FollowPorts = ProvidePorts & Pick<Ports, 'users' | 'payments' | 'checkouts' | 'mail'>

/** What an event about a subscription asks for, decided from the user's record. */
export type Step =
  /** Nothing: older than what is known, or the end of another subscription than the user's. */
  | 'ignore'
  /** The event says what is so. */
  | 'believe'
  /** Two events of one second, or one of a subscription that is new to us: only the provider knows what is so. */
  | 'ask'

export function decideFollow(
  user: Pick<UserRecord, 'subscription' | 'subscriptionId' | 'subscriptionAsOf'>,
  event: Pick<EventOf<'subscription-changed'>, 'subscription' | 'subscriptionId' | 'createdSeconds' | 'deleted'>,
): Step {
  if (event.subscriptionId !== user.subscriptionId) return isLive(event.subscription) ? 'ask' : 'ignore'
  // What is deleted never comes back under the same id.
  if (event.deleted) return 'believe'
  if (event.createdSeconds < user.subscriptionAsOf) return 'ignore'
  return event.createdSeconds === user.subscriptionAsOf ? 'ask' : 'believe'
}

export async function followSubscription(
  deps: FollowPorts,
  event: EventOf<'subscription-changed'>,
  nowMs: number,
): Promise<void> {
  const user = await deps.users.find(event.userId)
  if (!user) return
  const step = decideFollow(user, event)
  if (step === 'ignore') return
  const seen = step === 'ask' ? await deps.payments.subscription(event.subscriptionId) : event
  if (seen?.userId === user.id) await followSeen(deps, user, seen, event.createdSeconds, nowMs)
}

/**
 * Makes a subscription the user's, or follows how it changed. Of two that were paid at once the second is ended and
 * its payment goes back. False when it is not, or no longer, the user's live one.
 */
export async function followSeen(
  deps: FollowPorts,
  user: UserRecord,
  seen: SeenSubscription,
  asOfSeconds: number,
  nowMs: number,
): Promise<boolean> {
  const { subscription, subscriptionId } = seen
  const other = user.subscriptionId !== subscriptionId
  if (other && !isLive(subscription)) return false
  if (other && (await heldBy(deps, user))) {
    await refuseSecond(deps, user, seen)
    return false
  }
  const change = { subscription, subscriptionId, asOfSeconds, replaces: user.subscriptionId }
  // Somebody else was faster: the next delivery sees what they wrote.
  if (!(await deps.users.setSubscription(user.id, change))) return again(deps, user.id, subscriptionId)
  if (JSON.stringify(user.subscription) !== JSON.stringify(subscription)) {
    await deps.events.record(user.id, 'subscription.changed', { ...subscription })
  }
  if (seen.givenUp) await deps.payments.endSubscription(subscriptionId)
  if (isLive(subscription)) await provide(deps, user.id, subscription.plan ?? 'starter', nowMs)
  else await withdraw(deps, user.id, subscriptionId, nowMs)
  return isLive(subscription)
}

/** The user's recorded subscription while it is live at the provider too: its end may not have been told yet. */
async function heldBy(
  { payments }: FollowPorts,
  { subscription, subscriptionId }: UserRecord,
): Promise<SeenSubscription | null> {
  const now = subscriptionId && isLive(subscription) ? await payments.subscription(subscriptionId) : null
  return now && isLive(now.subscription) ? now : null
}

/** Ends a subscription beside the user's own and sends its payment back. */
async function refuseSecond(deps: FollowPorts, user: UserRecord, seen: SeenSubscription): Promise<void> {
  const first = seen.checkoutId !== null && (await deps.checkouts.end(user.id, seen.checkoutId, 'refused'))
  await deps.payments.undoSubscription(seen.subscriptionId)
  if (first) await deps.mail.send(paidTwice(user.email))
}

/** Refuses a subscription that was over before we heard of it, when it was bought beside the one that is live. */
export async function refuseEndedSecond(
  deps: FollowPorts,
  user: UserRecord,
  ended: SeenSubscription,
): Promise<boolean> {
  const held = await heldBy(deps, user)
  if (!held || held.boughtSeconds > ended.boughtSeconds) return false
  await refuseSecond(deps, user, ended)
  return true
}

/** A newer event of the same subscription was applied meanwhile, which is as good; anything else is delivered again. */
async function again(deps: FollowPorts, userId: string, subscriptionId: string): Promise<boolean> {
  const user = await deps.users.find(userId)
  if (user?.subscriptionId === subscriptionId) return isLive(user.subscription)
  throw new Error('the subscription is changing right now; deliver again')
}
