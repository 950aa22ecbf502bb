import { conflict, notFound } from '../errors.ts'
import type { Ports } from '../ports.ts'
import { type InstanceRecord, type Reason, shownState } from './instance.ts'
import { transition } from './life-cycle.ts'
import type { Verb } from './table.ts'

/** Writes that may lose to another one before the caller is told to try again. */
const attempts = 5

export type ChangePorts = Pick<Ports, 'instances' | 'bus' | 'events'>

/**
 * Asks something of a user's instance: reads it, decides by the life cycle, writes it if nobody came between, and
 * tells the reconciler. Repeating it is harmless.
 * @throws not-found without an instance; conflict when it contradicts a transition under way
 */
export async function changeInstance(
  deps: ChangePorts,
  userId: string,
  verb: Verb,
  reason: Reason,
  nowMs: number,
): Promise<{ instance: InstanceRecord; changed: boolean }> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const record = await deps.instances.find(userId)
    if (!record || record.state === 'deleted') throw notFound('instance; subscribe to a plan to get one')
    const { next, changed } = transition(record, verb, reason, nowMs)
    if (!changed) return { instance: record, changed }
    if (!(await deps.instances.save(next, record))) continue
    await announce(deps, next)
    return { instance: next, changed }
  }
  throw conflict('The instance is changing right now. Read /instance/status and try again.')
}

/** Tells the reconciler and the user's streams that an instance has changed. */
export async function announce(deps: Pick<Ports, 'bus' | 'events'>, instance: InstanceRecord): Promise<void> {
  await Promise.all([deps.bus.publish('instance.wanted', instance.userId), recordChange(deps, instance)])
}

/** Tells the user's streams what has become of an instance; whoever saved the change tells it. */
export async function recordChange(deps: Pick<Ports, 'events'>, instance: InstanceRecord): Promise<void> {
  const { userId, desiredState, reason, generation } = instance
  const state = shownState(instance)
  await deps.events.record(userId, 'instance.state_changed', { state, desiredState, reason, generation })
}
