import { askPoint } from '../files/ask-point.ts'
import type { StoredPoint } from '../files/point.ts'
import type { Basics, Ports } from '../ports.ts'
import { minuteMs } from '../time.ts'
import { recordChange } from './change.ts'
import { lookMs, quietSince } from './idle.ts'
import type { Before, InstanceRecord } from './instance.ts'
import { transition } from './life-cycle.ts'
import { enterRollout, leaveRollout, onTrial } from './rollout.ts'

export type UpgradePorts = Pick<Ports, 'instances' | 'machines' | 'events' | 'tasks' | 'rollouts' | 'restorePoints'> &
  Pick<Basics, 'ids' | 'settings'>

/** How long a new image waits for the restore point before it; then it comes without one, ms. */
const pointWaitMs = 10 * minuteMs

/**
 * Brings a quiet machine to the stage's image, if there is a place: first a restore point, then the restart. False
 * when it is not its turn.
 */
export async function upgrade(deps: UpgradePorts, record: InstanceRecord, nowMs: number): Promise<boolean> {
  const rollout = await deps.rollouts.find(deps.settings.imageVersion)
  if (enterRollout(rollout, record.userId, nowMs) === null) return false
  const points = await deps.restorePoints.list(record.userId)
  const kept = asItIs(points, record)
  if (kept) return roll(deps, record, { pointId: kept.id, askedMs: nowMs, taskId: deps.ids.next('tsk') }, nowMs)
  const { before } = record
  if (!before || before.askedMs < quietSince(record)) return keepFirst(deps, record, nowMs)
  const making = points.some(({ id, state }) => id === before.pointId && state === 'making')
  if (!making || nowMs >= before.askedMs + pointWaitMs) return roll(deps, record, null, nowMs)
  await deps.instances.save({ ...record, deadlineMs: nowMs + lookMs, version: record.version + 1 }, record)
  return true
}

/** A point of the volume as it is: taken after the last thing that happened. */
const asItIs = (points: StoredPoint[], record: InstanceRecord): StoredPoint | undefined =>
  points.find(
    ({ instanceId, state, createdAt }) =>
      instanceId === record.id && state === 'ready' && Date.parse(createdAt) >= quietSince(record),
  )

/** One that loses the race asks for a point in vain: another look finds it, and needs none then. */
async function keepFirst(deps: UpgradePorts, record: InstanceRecord, nowMs: number): Promise<true> {
  const { id: pointId } = await askPoint(deps, record, 'upgrade', nowMs)
  const before = { pointId, askedMs: nowMs, taskId: deps.ids.next('tsk') }
  await deps.instances.save({ ...record, before, deadlineMs: nowMs + lookMs, version: record.version + 1 }, record)
  return true
}

/** Restarts the machine with the new image, and says whether there is a point to go back to. */
async function roll(
  deps: UpgradePorts,
  record: InstanceRecord,
  before: Before | null,
  nowMs: number,
): Promise<boolean> {
  const { imageVersion } = deps.settings
  if (!(await enter(deps, imageVersion, record.userId, nowMs))) return false
  const { next } = transition(onTrial(record, imageVersion, before), 'roll', 'image', nowMs)
  if (await deps.instances.save(next, record)) {
    await deps.events.record(record.userId, 'instance.image_changed', {
      imageVersion,
      restorePoint: before?.pointId ?? null,
    })
    await recordChange(deps, next)
    if (record.taskArn) await deps.machines.stop(record.taskArn, 'a new image')
    return true
  }
  await leave(deps, imageVersion, record.userId, null)
  return true
}

/** Tells that an image was given up: which one it is now, and whether the volume goes back, too. */
export async function reverted(
  deps: Pick<Ports, 'events' | 'rollouts'>,
  tried: InstanceRecord,
  next: InstanceRecord,
): Promise<void> {
  await leave(deps, tried.imageVersion, tried.userId, false)
  const restorePoint = next.before?.pointId ?? null
  await deps.events.record(next.userId, 'instance.image_reverted', { imageVersion: next.imageVersion, restorePoint })
}

/** True when the user got a place among those who try an image. */
async function enter(
  { rollouts }: Pick<Ports, 'rollouts'>,
  version: string,
  userId: string,
  nowMs: number,
): Promise<boolean> {
  const rollout = await rollouts.find(version)
  const next = enterRollout(rollout, userId, nowMs)
  return next !== null && (await rollouts.save(next, rollout))
}

/** Says how it went. Somebody else's word may come between, so it is said again. */
export async function leave(
  { rollouts }: Pick<Ports, 'rollouts'>,
  version: string,
  userId: string,
  well: boolean | null,
): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const rollout = await rollouts.find(version)
    const next = leaveRollout(rollout, userId, well)
    if (next === rollout || (await rollouts.save(next, rollout))) return
  }
  throw new Error('how an image did could not be noted; try again')
}
