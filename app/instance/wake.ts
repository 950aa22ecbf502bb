import { type InstanceRecord, isAsleep } from '../../domain/instance/instance.ts'
import type { FollowUp } from '../outbox/outbox.ts'
import type { Clock } from '../ports/basics.ts'
import { type ChangePorts, changeInstance } from './change.ts'

/** Messages wake what idleness or the user paused, schedules what idleness paused; nothing wakes billing's pause. */
export const wakes = (instance: InstanceRecord, because: 'message' | 'schedule') =>
  isAsleep(instance) && (because === 'message' ? instance.reason !== 'billing' : instance.reason === 'idle')

type WakePorts = ChangePorts & { clock: Clock }

export async function wakeFor(deps: WakePorts, userId: string, reason: 'message' | 'schedule'): Promise<void> {
  const instance = await deps.instances.find(userId)
  if (instance && wakes(instance, reason)) await changeInstance(deps, userId, 'wake', reason, deps.clock.now())
}

export const wake = (deps: WakePorts, userId: string, reason: 'message' | 'schedule'): FollowUp => ({
  intent: { kind: 'wake', reason },
  run: () => wakeFor(deps, userId, reason),
})
