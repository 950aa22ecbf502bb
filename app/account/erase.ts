import { serviceActor } from '../../domain/account/audit.ts'
import { erasureScheduledMail } from '../../domain/account/mail-texts.ts'
import { checkDeletable, type UserRecord } from '../../domain/account/user.ts'
import { conflict } from '../../domain/errors.ts'
import { erasureGraceMs } from '../../domain/lifetimes.ts'
import { iso, minuteMs } from '../../domain/time.ts'
import { changeInstance } from '../instance/change.ts'
import { type Commit, sendMail } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'
import { dueInShards, sweep } from '../sweep.ts'
export type DeletionPorts = Pick<Ports, 'users' | 'sessions' | 'tokens' | 'instances' | 'bus' | 'events' | 'mail'> &
  Basics
export type ErasurePorts = Pick<
  Ports,
  'users' | 'sessions' | 'tokens' | 'instances' | 'bus' | 'events' | 'erasure' | 'audit'
>

/** A sign-in under way when the account was deleted may end a moment later: its session is ended then. */
const lateSignInMs = minuteMs

/** How long the sweep waits for the machine and its volume to be gone, ms. */
const instanceWaitMs = 10 * minuteMs

/**
 * Sets the account to be erased in 30 days and ends access now: sessions and tokens end, the instance stops.
 * @throws conflict while a subscription runs
 */
export async function deleteAccount(
  deps: DeletionPorts,
  user: UserRecord,
  nowMs: number,
  commit: Commit,
): Promise<string> {
  checkDeletable(user)
  const eraseAt = iso(nowMs + erasureGraceMs)
  const letter = { to: user.email, ...erasureScheduledMail(eraseAt, deps.settings.publicOrigin) }
  const schedule = () => deps.users.scheduleErasure(user.id, eraseAt, nowMs + lateSignInMs)
  if (!(await commit(user.id, schedule, [sendMail(deps, letter)])))
    throw conflict('The account is set to be deleted already. Sign in again to keep it.')
  await endAccess(deps, user.id, nowMs)
  return eraseAt
}

/** Ends every session and token of a user and stops the instance for as long as nobody signs in. */
async function endAccess(
  deps: Pick<Ports, 'sessions' | 'tokens' | 'instances' | 'bus' | 'events'>,
  userId: string,
  nowMs: number,
): Promise<void> {
  const [sessions, tokens, instance] = await Promise.all([
    deps.sessions.list(userId, nowMs),
    deps.tokens.list(userId),
    deps.instances.find(userId),
  ])
  for (const { id } of tokens.filter(({ revokedAt }) => !revokedAt)) await deps.tokens.revoke(id, iso(nowMs))
  await Promise.all(sessions.map(({ id }) => deps.sessions.close(userId, id)))
  if (instance && instance.state !== 'deleted') await changeInstance(deps, userId, 'suspend', 'billing', nowMs)
}

/** Takes the next step for every account that is to be erased. @throws AggregateError of those that failed; they are due again */
export async function eraseDue(deps: ErasurePorts, nowMs: number): Promise<void> {
  const due = await dueInShards((shard) => deps.users.dueForErasure(shard, nowMs))
  await sweep(due, 'accounts', (userId) => eraseNext(deps, userId, nowMs))
}

/** One step of one account's erasure; each may be repeated. The volume goes with the instance, before its record. */
async function eraseNext(deps: ErasurePorts, userId: string, nowMs: number): Promise<void> {
  const user = await deps.users.find(userId)
  if (!user?.eraseAt) return
  if (Date.parse(user.eraseAt) > nowMs) {
    await endAccess(deps, userId, nowMs)
    return deps.users.postponeErasure(userId, Date.parse(user.eraseAt))
  }
  if (!(await deps.users.anonymise(userId, nowMs))) return
  const instance = await deps.instances.find(userId)
  if (instance && instance.state !== 'deleted') {
    await changeInstance(deps, userId, 'delete', 'user', nowMs)
    return deps.users.postponeErasure(userId, nowMs + instanceWaitMs)
  }
  await endAccess(deps, userId, nowMs)
  await deps.erasure.deletePersonalData(userId)
  await deps.audit.record({ userId, operation: 'eraseAccount', record: userId, actor: serviceActor })
  await deps.users.completeErasure(userId)
}
