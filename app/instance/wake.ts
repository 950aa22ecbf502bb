import { type InstanceRecord, isAsleep } from '../../domain/instance/instance.ts'
import type { FollowUp } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'
import { changeInstance } from './change.ts'

/** A message wakes what idleness or its user paused, a schedule only what idleness did; nothing wakes what billing paused. */
export const wakes = (instance: InstanceRecord, because: 'message' | 'schedule') =>
  isAsleep(instance) && (because === 'message' ? instance.reason !== 'billing' : instance.reason === 'idle')

export const wake = (
  deps: Pick<Ports, 'instances' | 'bus' | 'events'> & Pick<Basics, 'clock'>,
  userId: string,
  reason: 'message' | 'schedule',
): FollowUp => ({
  intent: { kind: 'wake', reason },
  async run() {
    const instance = await deps.instances.find(userId)
    if (instance && wakes(instance, reason)) await changeInstance(deps, userId, 'wake', reason, deps.clock.now())
  },
})

/** Has the reconciler look whether something is to be done for an instance that sleeps. */
export const tellReconciler = ({ bus }: Pick<Ports, 'bus'>, userId: string): FollowUp => ({
  intent: { kind: 'wanted' },
  run: () => bus.publish('instance.wanted', userId),
})
