import { isLive } from '../billing/plans.ts'
import { conflict } from '../errors.ts'
import { shards } from '../ids.ts'
import { changeInstance } from '../instance/change.ts'
import type { Basics, Ports } from '../ports.ts'
import { iso, minuteMs } from '../time.ts'
import { theService } from './audit.ts'
import { deletionMail } from './mails.ts'
import { erasureGraceMs, type UserRecord } from './user.ts'

export type DeletionPorts = Pick<Ports, 'users' | 'sessions' | 'tokens' | 'instances' | 'bus' | 'events' | 'mail'> &
  Basics
export type ErasurePorts = Pick<
  Ports,
  'users' | 'sessions' | 'tokens' | 'instances' | 'schedules' | 'timers' | 'bus' | 'events' | 'erasure' | 'audit'
>

/** A sign-in under way when the account was deleted may end a moment later: what it opened is ended then. */
const stragglersMs = minuteMs

/** How long the sweep waits for the machine and its volume to be gone, ms. */
const waitMs = 10 * minuteMs

/** @throws conflict while a subscription would go on to be charged */
export function checkDeletable({ subscription }: Pick<UserRecord, 'subscription'>): void {
  if (isLive(subscription) && !subscription.cancelAtPeriodEnd)
    throw conflict('Your subscription is still running. Cancel it on the billing page first, then delete the account.')
}

/**
 * Sets the account to be erased in 30 days and shuts it now: sessions and tokens end, the instance stops.
 * @throws conflict while a subscription runs
 */
export async function deleteAccount(deps: DeletionPorts, user: UserRecord, nowMs: number): Promise<string> {
  checkDeletable(user)
  const eraseAt = iso(nowMs + erasureGraceMs)
  if (!(await deps.users.markErasure(user.id, eraseAt, nowMs + stragglersMs)))
    throw conflict('The account is set to be deleted already. Sign in again to keep it.')
  await shut(deps, user.id, nowMs)
  await deps.mail.send({ to: user.email, ...deletionMail(eraseAt, deps.settings.publicOrigin) })
  return eraseAt
}

/** Ends every session and token of a user and stops the instance for as long as nobody signs in. */
async function shut(
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

/** Looks after every account that is to be erased. @throws AggregateError of those that failed; they are due again */
export async function eraseDue(deps: ErasurePorts, nowMs: number): Promise<void> {
  const every = Array.from({ length: shards }, (_, shard) => deps.users.erasable(shard, nowMs))
  const due = (await Promise.all(every)).flat()
  const failed: unknown[] = []
  for (const userId of due) await eraseOne(deps, userId, nowMs).catch((error) => failed.push(error))
  if (failed.length > 0) throw new AggregateError(failed, `${failed.length} of ${due.length} accounts`)
}

/** One step of one account's erasure; each may be repeated. The volume goes with the instance, before its record. */
async function eraseOne(deps: ErasurePorts, userId: string, nowMs: number): Promise<void> {
  const user = await deps.users.find(userId)
  if (!user?.eraseAt) return
  if (Date.parse(user.eraseAt) > nowMs) {
    await shut(deps, userId, nowMs)
    return deps.users.lookAgain(userId, Date.parse(user.eraseAt))
  }
  if (!(await deps.users.anonymise(userId, nowMs))) return
  const instance = await deps.instances.find(userId)
  if (instance && instance.state !== 'deleted') {
    await changeInstance(deps, userId, 'delete', 'user', nowMs)
    return deps.users.lookAgain(userId, nowMs + waitMs)
  }
  await shut(deps, userId, nowMs)
  for (const { id } of await deps.schedules.list(userId)) await deps.timers.remove(id)
  await deps.erasure.wipe(userId)
  await deps.audit.record(userId, { operation: 'eraseAccount', record: userId, actor: theService })
  await deps.users.forget(userId)
}
