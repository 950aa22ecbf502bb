import { changeInstance, recordChange } from '../instance/change.ts'
import { type InstanceRecord, isAsleep, isEnding } from '../instance/instance.ts'
import { newInstance } from '../instance/life-cycle.ts'
import type { Basics, Ports } from '../ports.ts'
import { newGrace } from './grace.ts'
import type { PlanId } from './plans.ts'

export type ProvidePorts = Pick<Ports, 'instances' | 'bus' | 'events' | 'graces'> & Basics

/** Gives a subscriber an instance of the plan's size, running unless the user paused it. */
export async function provide(deps: ProvidePorts, userId: string, plan: PlanId, nowMs: number): Promise<void> {
  await deps.graces.end(userId)
  const record = await deps.instances.find(userId)
  if (record && record.state !== 'deleted' && isEnding(record))
    throw new Error('the former instance is being deleted; deliver again')
  if (!record || record.state === 'deleted') {
    const ids = { instanceId: deps.ids.next('ins'), userId }
    const made = newInstance(ids, plan, deps.settings.imageVersion, nowMs, record)
    if (await deps.instances.create(made)) await recordChange(deps, made)
  } else {
    if (record.plan !== plan) await setPlan(deps, record, plan)
    if (isSuspended(record)) await changeInstance(deps, userId, 'wake', 'subscribed', nowMs)
  }
  // Also when nothing was left to do: the delivery before this one may have ended before it got here.
  await deps.bus.publish('instance.wanted', userId)
}

/** Pauses the machine nobody pays for and starts the time its files are kept. */
export async function withdraw(
  deps: ProvidePorts,
  userId: string,
  subscriptionId: string,
  nowMs: number,
): Promise<void> {
  const record = await deps.instances.find(userId)
  if (!record || isEnding(record)) return
  await deps.graces.start(newGrace(userId, subscriptionId, nowMs))
  const { changed } = await changeInstance(deps, userId, 'suspend', 'billing', nowMs)
  if (!changed) await deps.bus.publish('instance.wanted', userId)
}

/** The next start takes the new size; a write that loses to another is repeated by the event's next delivery. */
async function setPlan(deps: ProvidePorts, record: InstanceRecord, plan: PlanId): Promise<void> {
  const next = { ...record, plan, version: record.version + 1 }
  if (!(await deps.instances.save(next, record))) throw new Error('the instance is changing right now; deliver again')
}

const isSuspended = (one: InstanceRecord): boolean => one.reason === 'billing' && isAsleep(one)
