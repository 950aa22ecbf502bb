import { type InstanceRecord, isAsleep } from '../../domain/instance/instance.ts'
import type { FollowUp } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'
import { changeInstance } from './change.ts'

/** Messages wake what idleness or the user paused, schedules what idleness paused; nothing wakes billing's pause. */
export const wakes = (instance: InstanceRecord, because: 'message' | 'schedule') =>
  isAsleep(instance) && (because === 'message' ? instance.reason !== 'billing' : instance.reason === 'idle')

type WakePorts = Pick<Ports, 'instances' | 'bus' | 'events'> & Pick<Basics, 'clock'>

export async function wakeFor(deps: WakePorts, userId: string, reason: 'message' | 'schedule'): Promise<void> {
  const instance = await deps.instances.find(userId)
  if (instance && wakes(instance, reason)) await changeInstance(deps, userId, 'wake', reason, deps.clock.now())
}

export const wake = (deps: WakePorts, userId: string, reason: 'message' | 'schedule'): FollowUp => ({
  intent: { kind: 'wake', reason },
  run: () => wakeFor(deps, userId, reason),
})

/** Notifies the reconciler that an instance which sleeps may have open work. */
export const tellReconciler = ({ bus }: Pick<Ports, 'bus'>, userId: string): FollowUp => ({
  intent: { kind: 'wanted' },
  run: () => bus.publish('instance.wanted', userId),
})
