import type { UserRecord } from '../../domain/account/user.ts'
import { type PlanLimits, trialPlan } from '../../domain/billing/plans.ts'
import { conflict, noInstance } from '../../domain/errors.ts'
import { type InstanceRecord, isAsleep, type Reason, shownState } from '../../domain/instance/instance.ts'
import { newInstance, transition } from '../../domain/instance/life-cycle.ts'
import { checkMayRun } from '../../domain/instance/status.ts'
import type { InstanceEvent } from '../../domain/instance/transitions.ts'
import { planOf, refusalToStart } from '../../domain/trial/trial.ts'
import { type OutboxFor, unaudited } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Ids, Settings } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { Bus, Instances } from '../ports/instance.ts'
import type { Wallets } from '../ports/wallet.ts'
import { lost, retry } from '../retry.ts'

export type ChangePorts = { instances: Instances; bus: Bus; events: Events }

/**
 * Writes the change if nobody else wrote meanwhile, and notifies the reconciler; safe to repeat.
 * @param choice the owner's settings in the same write
 * @throws not-found without an instance; conflict when it contradicts a transition under way
 */
export async function changeInstance(
  deps: ChangePorts,
  userId: string,
  verb: InstanceEvent,
  reason: Reason,
  nowMs: number,
  outboxFor: OutboxFor = unaudited,
  choice: Partial<Pick<InstanceRecord, 'runtime'>> = {},
): Promise<{ instance: InstanceRecord; changed: boolean }> {
  const result = await retry(async () => {
    const record = await deps.instances.find(userId)
    if (!record || record.state === 'deleted') throw noInstance()
    const { next: moved, changed } = transition(record, verb, reason, nowMs)
    const next = { ...moved, ...choice }
    const outbox = outboxFor(record.id)
    if (!changed) return { instance: record, changed }
    if (!(await deps.instances.save(next, record, outbox))) return lost
    await announce(deps, next)
    return { instance: next, changed }
  })
  if (result === lost) throw conflict('The instance is changing right now. Read /instance/status and try again.')
  return result
}

async function announce(deps: { bus: Bus; events: Events }, instance: InstanceRecord): Promise<void> {
  await Promise.all([deps.bus.publish('instance.wanted', instance.userId), recordChange(deps, instance)])
}

/** Only the run that saved the change calls it. */
export async function recordChange(deps: { events: Events }, instance: InstanceRecord): Promise<void> {
  const { userId, desiredState, reason, generation } = instance
  const state = shownState(instance)
  await deps.events.record(userId, 'instance.state_changed', { state, desiredState, reason, generation })
}

/** Restarts a user's instance, or creates a new one after a deletion, given a subscription or trial, and money. */
export async function resumeInstance(
  deps: ChangePorts & { users: Users; wallets: Wallets; ids: Ids; settings: Settings },
  userId: string,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<InstanceRecord> {
  const [user, money] = await Promise.all([deps.users.find(userId), deps.wallets.read(userId)])
  if (!user || !planOf(user, nowMs)) await checkHasInstance(deps, userId)
  const plan = checkMayRun(user, money, nowMs)
  if (plan === trialPlan.id) await checkTrialStart(deps, user, userId, nowMs)
  return resumeOrRenew(deps, userId, plan, nowMs, outboxFor)
}

/** @throws not-found, like every other operation without an instance */
async function checkHasInstance({ instances }: ChangePorts, userId: string): Promise<void> {
  const record = await instances.find(userId)
  if (!record || record.state === 'deleted') throw noInstance()
}

/** A sleeping trial machine may have been started too often, or hold too much. @throws conflict */
async function checkTrialStart(
  { instances }: ChangePorts,
  user: UserRecord | null,
  userId: string,
  nowMs: number,
): Promise<void> {
  const record = await instances.find(userId)
  if (!record || !isAsleep(record)) return
  const refusal = refusalToStart(user, { ...record, generation: record.generation + 1 }, nowMs)
  if (refusal) throw refusal
}

/** A deleted instance is replaced by a new, empty one. */
export async function resumeOrRenew(
  deps: ChangePorts & { ids: Ids; settings: Settings },
  userId: string,
  plan: PlanLimits['id'],
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<InstanceRecord> {
  const previous = await deps.instances.find(userId)
  if (previous?.state !== 'deleted')
    return (await changeInstance(deps, userId, 'resume', 'user', nowMs, outboxFor)).instance
  const ids = { instanceId: deps.ids.next('ins'), userId }
  const made = newInstance(ids, plan, deps.settings.imageVersion, nowMs, previous)
  if (!(await deps.instances.create(made, outboxFor(made.id))))
    throw conflict('The instance is changing right now. Read /instance/status.')
  await announce(deps, made)
  return made
}
