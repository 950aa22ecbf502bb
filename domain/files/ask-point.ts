import type { InstanceRecord } from '../instance/instance.ts'
import type { Basics, Ports } from '../ports.ts'
import { iso } from '../time.ts'
import type { PointReason, StoredPoint } from './point.ts'

/** Asks the instance's machine for a restore point; it is taken between turns. */
export async function askPoint(
  deps: Pick<Ports, 'tasks' | 'restorePoints'> & Pick<Basics, 'ids'>,
  instance: Pick<InstanceRecord, 'id' | 'userId'>,
  reason: PointReason,
  nowMs: number,
): Promise<StoredPoint> {
  const point: StoredPoint = {
    id: deps.ids.next('rsp'),
    state: 'making',
    reason,
    createdAt: iso(nowMs),
    completedAt: null,
    census: null,
    newBytes: null,
    failure: null,
    instanceId: instance.id,
    taskId: deps.ids.next('tsk'),
  }
  await deps.restorePoints.add(instance.userId, point)
  await deps.tasks.ask(instance.userId, point.taskId, { kind: 'snapshot', pointId: point.id }, nowMs)
  return point
}
