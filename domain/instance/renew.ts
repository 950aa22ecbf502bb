import type { PlanId } from '../billing/plans.ts'
import { conflict } from '../errors.ts'
import type { Basics } from '../ports.ts'
import { announce, type ChangePorts, changeInstance } from './change.ts'
import type { InstanceRecord } from './instance.ts'
import { newInstance } from './life-cycle.ts'

/** Starts a paused instance again; one that was deleted is followed by a new, empty one. */
export async function resumeOrRenew(
  deps: ChangePorts & Pick<Basics, 'ids' | 'settings'>,
  userId: string,
  plan: PlanId,
  nowMs: number,
): Promise<InstanceRecord> {
  const before = await deps.instances.find(userId)
  if (before?.state !== 'deleted') return (await changeInstance(deps, userId, 'resume', 'user', nowMs)).instance
  const ids = { instanceId: deps.ids.next('ins'), userId }
  const made = newInstance(ids, plan, deps.settings.imageVersion, nowMs, before)
  if (!(await deps.instances.create(made))) throw conflict('The instance is changing right now. Read /instance/status.')
  await announce(deps, made)
  return made
}
