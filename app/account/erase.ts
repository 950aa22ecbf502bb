import { serviceActor } from '../../domain/account/audit.ts'
import { erasureScheduledMail } from '../../domain/account/mail-texts.ts'
import type { UserRecord } from '../../domain/account/user.ts'
import { isLive } from '../../domain/billing/subscription.ts'
import { conflict } from '../../domain/errors.ts'
import { erasureGraceMs } from '../../domain/lifetimes.ts'
import { isUserStopped } from '../../domain/operator/stops.ts'
import { hourMs, iso, minuteMs } from '../../domain/time.ts'
import { closedReason } from '../../domain/wallet/state.ts'
import { type ChangePorts, changeInstance } from '../instance/change.ts'
import { auditedOutbox, type OutboxFor, sendMail } from '../outbox/outbox.ts'
import type { Audit, Erasure, Sessions, Users } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { Payments } from '../ports/billing.ts'
import type { Denials } from '../ports/models.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Intents } from '../ports/outbox.ts'
import type { Tokens } from '../ports/tokens.ts'
import type { Wallets } from '../ports/wallet.ts'
import { dueInShards, sweep } from '../sweep.ts'
import { freezeWallet } from '../wallet/freeze.ts'
import { type ReopenPorts, reopenAccount } from './sign-in.ts'

type AccessPorts = ChangePorts & { sessions: Sessions; tokens: Tokens; wallets: Wallets }

type DeletionPorts = AccessPorts & { users: Users; mail: Mail } & Basics
type ErasurePorts = AccessPorts &
  ReopenPorts & { payments: Payments; denials: Denials; erasure: Erasure; audit: Audit; outbox: Intents }

/** A sign-in under way during the deletion may open a session a moment later: the sweep ends that session, too. */
const lateSignInMs = minuteMs

/** How long the sweep waits for the machine and its volume to be gone, ms. */
const instanceWaitMs = 10 * minuteMs

/** @throws conflict when the erasure is scheduled already */
export async function deleteAccount(
  deps: DeletionPorts,
  user: UserRecord,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<string> {
  const eraseAt = iso(nowMs + erasureGraceMs)
  const letter = { to: user.email, ...erasureScheduledMail(eraseAt, deps.settings.publicOrigin) }
  const outbox = outboxFor(user.id, [sendMail(deps, letter), { intent: { kind: 'close-billing' } }])
  if (!(await deps.users.scheduleErasure(user.id, eraseAt, nowMs + lateSignInMs, outbox)))
    throw conflict('The account is already scheduled for deletion. To keep it, sign in again.')
  await outbox.flush()
  await endAccess(deps, user.id, nowMs)
  return eraseAt
}

async function endAccess(deps: AccessPorts, userId: string, nowMs: number): Promise<void> {
  await freezeWallet(deps, userId, closedReason, nowMs)
  const [sessions, tokens, instance] = await Promise.all([
    deps.sessions.list(userId, nowMs),
    deps.tokens.list(userId),
    deps.instances.find(userId),
  ])
  for (const { id } of tokens.filter(({ revokedAt }) => !revokedAt)) await deps.tokens.revoke(id, iso(nowMs))
  await Promise.all(sessions.map(({ id }) => deps.sessions.close(userId, id)))
  if (instance && instance.state !== 'deleted') await changeInstance(deps, userId, 'suspend', 'billing', nowMs)
}

/** @throws AggregateError of the failed erasures, which stay due */
export async function eraseDue(deps: ErasurePorts, nowMs: number): Promise<void> {
  const due = await dueInShards((shard) => deps.users.dueForErasure(shard, nowMs))
  await sweep(due, 'accounts', (userId) => eraseNext(deps, userId, nowMs))
}

/** The volume is deleted with the instance, before the account's record. Each step is safe to repeat. */
async function eraseNext(deps: ErasurePorts, userId: string, nowMs: number): Promise<void> {
  const user = await deps.users.find(userId)
  if (!user?.eraseAt) return
  if (Date.parse(user.eraseAt) > nowMs) {
    await endAccess(deps, userId, nowMs)
    // The user may have signed in meanwhile.
    await reopenAccount(deps, userId)
    return deps.users.postponeErasure(userId, Date.parse(user.eraseAt))
  }
  // A blocked user's data may be evidence.
  if (isUserStopped((await deps.denials.current()).stops, userId))
    return deps.users.postponeErasure(userId, nowMs + hourMs)
  if (user.subscriptionId && isLive(user.subscription)) await deps.payments.endSubscription(user.subscriptionId)
  if (!(await deps.users.anonymise(userId, nowMs))) return
  const instance = await deps.instances.find(userId)
  if (instance && instance.state !== 'deleted') {
    await changeInstance(deps, userId, 'delete', 'user', nowMs)
    return deps.users.postponeErasure(userId, nowMs + instanceWaitMs)
  }
  await endAccess(deps, userId, nowMs)
  await deps.erasure.deletePersonalData(userId)
  const line = { userId, operation: 'eraseAccount', record: userId, actor: serviceActor }
  await deps.users.completeErasure(userId, auditedOutbox(deps, userId, [line]))
}
