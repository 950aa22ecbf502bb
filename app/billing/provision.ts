import { newGracePeriod } from '../../domain/billing/grace-period.ts'
import { type PlanId, type PlanLimits, trialPlan } from '../../domain/billing/plans.ts'
import { type InstanceRecord, isAsleep, isEnding } from '../../domain/instance/instance.ts'
import { newInstance } from '../../domain/instance/life-cycle.ts'
import { type ChangePorts, changeInstance, recordChange } from '../instance/change.ts'
import type { Basics } from '../ports/basics.ts'
import type { GracePeriods } from '../ports/billing.ts'
import type { Instances } from '../ports/instance.ts'

export type ProvisionPorts = ChangePorts & { gracePeriods: GracePeriods } & Basics

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
