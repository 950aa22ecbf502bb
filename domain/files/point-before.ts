import type { InstanceRecord } from '../instance/instance.ts'
import type { Basics, Ports } from '../ports.ts'
import { minuteMs } from '../time.ts'
import { askPoint } from './ask-point.ts'
import type { PointReason } from './point.ts'

export type PointPorts = Pick<Ports, 'tasks' | 'restorePoints'> & Pick<Basics, 'ids'>

/** A point asked for this recently will do: repeated changes must not push the daily ones out. */
const freshMs = 10 * minuteMs

/**
 * Asks for a restore point before something changes, if a machine runs that could take it. The change does not wait for
 * it and goes ahead without it: what fails here must not stand in the way of what the user asked for.
 */
export async function pointBefore(
  deps: PointPorts,
  instance: Pick<InstanceRecord, 'id' | 'userId' | 'state'> | null,
  reason: PointReason,
  nowMs: number,
): Promise<void> {
  if (instance?.state !== 'running') return
  const isFresh = async () =>
    (await deps.restorePoints.list(instance.userId)).some(
      ({ instanceId, state, createdAt }) =>
        instanceId === instance.id && state !== 'failed' && nowMs - Date.parse(createdAt) < freshMs,
    )
  try {
    if (!(await isFresh())) await askPoint(deps, instance, reason, nowMs)
  } catch {
    // The daily point remains.
  }
}
