import { isCurrent, type StoredPoint } from '../../domain/files/restore-point.ts'
import { checkIntervalMs, quietSince } from '../../domain/instance/idle.ts'
import type { InstanceRecord, PreUpgradePoint } from '../../domain/instance/instance.ts'
import { transition } from '../../domain/instance/life-cycle.ts'
import { enterRollout, leaveRollout, onTrial } from '../../domain/instance/rollout.ts'
import { minuteMs } from '../../domain/time.ts'
import { addPoint, newPoint } from '../files/restore-points.ts'
import type { Alarms, Ids, Settings } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { RestorePoints, Tasks } from '../ports/files.ts'
import type { Instances, Machines, Rollouts } from '../ports/instance.ts'
import { lost, retry } from '../retry.ts'
import { recordChange } from './change.ts'

export type UpgradePorts = {
  instances: Instances
  machines: Machines
  events: Events
  tasks: Tasks
  rollouts: Rollouts
  restorePoints: RestorePoints
  ids: Ids
  settings: Settings
}

/** How long a new image waits for its restore point before it starts without one, ms. */
const pointWaitMs = 10 * minuteMs

/** First a restore point, then the restart with the stage's image. False when it is not the instance's turn. */
export async function upgrade(deps: UpgradePorts, record: InstanceRecord, nowMs: number): Promise<boolean> {
  const rollout = await deps.rollouts.find(deps.settings.imageVersion)
  if (enterRollout(rollout, record.userId, nowMs) === null) return false
  const points = await deps.restorePoints.list(record.userId)
  const current = points.find((point) => isCurrent(point, record.id, quietSince(record)))
  if (current) return roll(deps, record, { pointId: current.id, askedMs: nowMs, taskId: deps.ids.next('tsk') }, nowMs)
  const { preUpgradePoint: requested } = record
  if (!requested || requested.askedMs < quietSince(record)) return requestPoint(deps, record, points, nowMs)
  const making = points.some(({ id, state }) => id === requested.pointId && state === 'making')
  if (!making || nowMs >= requested.askedMs + pointWaitMs) return roll(deps, record, null, nowMs)
  await deps.instances.save({ ...record, deadlineMs: nowMs + checkIntervalMs, version: record.version + 1 }, record)
  return true
}

/** If this write loses a race, the next check finds the point and does not request another. */
async function requestPoint(
  deps: UpgradePorts,
  record: InstanceRecord,
  points: StoredPoint[],
  nowMs: number,
): Promise<true> {
  const point = newPoint(deps, record, 'upgrade', nowMs)
  const making = points.find(({ state }) => state === 'making')
  const { id: pointId } = (await addPoint(deps, record.userId, point, nowMs)) ? point : (making ?? point)
  const preUpgradePoint = { pointId, askedMs: nowMs, taskId: deps.ids.next('tsk') }
  await deps.instances.save(
    { ...record, preUpgradePoint, deadlineMs: nowMs + checkIntervalMs, version: record.version + 1 },
    record,
  )
  return true
}

/** Restarts the machine with the new image, and announces whether there is a restore point before it. */
async function roll(
  deps: UpgradePorts,
  record: InstanceRecord,
  preUpgradePoint: PreUpgradePoint | null,
  nowMs: number,
): Promise<boolean> {
  const { imageVersion } = deps.settings
  const rollout = await deps.rollouts.find(imageVersion)
  const entered = enterRollout(rollout, record.userId, nowMs)
  if (!entered || !(await deps.rollouts.save(entered, rollout))) return false
  const { next } = transition(onTrial(record, imageVersion, preUpgradePoint), 'roll', 'image', nowMs)
  if (await deps.instances.save(next, record)) {
    await deps.events.record(record.userId, 'instance.image_changed', {
      imageVersion,
      restorePoint: preUpgradePoint?.pointId ?? null,
    })
    await recordChange(deps, next)
    if (record.taskArn) await deps.machines.stop(record.taskArn, 'a new image')
    return true
  }
  await reportTrial(deps, imageVersion, record.userId, null)
  return true
}

/** Announces that an image was given up, with the current image and whether the volume is restored, too. */
export async function recordRevert(
  deps: { events: Events; rollouts: Rollouts },
  tried: InstanceRecord,
  next: InstanceRecord,
): Promise<void> {
  await reportTrial(deps, tried.imageVersion, tried.userId, false)
  const restorePoint = next.preUpgradePoint?.pointId ?? null
  await deps.events.record(next.userId, 'instance.image_reverted', { imageVersion: next.imageVersion, restorePoint })
}

/** Records a trial's result (null: there was none), repeated when another report came first. */
export async function reportTrial(
  { rollouts }: { rollouts: Rollouts },
  version: string,
  userId: string,
  healthy: boolean | null,
): Promise<void> {
  const result = await retry(
    async () => {
      const rollout = await rollouts.find(version)
      const next = leaveRollout(rollout, userId, healthy)
      return next === rollout || (await rollouts.save(next, rollout)) || lost
    },
    { tries: 10 },
  )
  if (result === lost) throw new Error('how an image did could not be noted; try again')
}

/** Raised on every call while the rollout is halted, so that the alarm lasts until it resumes. */
export async function reportHaltedRollout({
  rollouts,
  settings,
  alarms,
}: {
  rollouts: Rollouts
  settings: Settings
  alarms: Alarms
}): Promise<void> {
  const { version, state, failed } = await rollouts.find(settings.imageVersion)
  if (state === 'halted') alarms.raise('ImageRolloutHalted', 1, { image: version, failed: Object.keys(failed).length })
}
