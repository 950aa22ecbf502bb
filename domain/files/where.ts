import { conflict, notFound } from '../errors.ts'
import type { Ports } from '../ports.ts'
import { isAwake } from './errands.ts'
import type { StoredPoint } from './point.ts'

/** The point that was named; null for a machine that runs and is asked itself; else the newest restore point. @throws not-found, conflict */
export async function whereToRead(
  deps: Pick<Ports, 'instances' | 'restorePoints'>,
  userId: string,
  pointId?: string,
): Promise<{ instanceId: string; point: StoredPoint | null }> {
  const instance = await deps.instances.find(userId)
  if (!instance || instance.state === 'deleted') throw notFound('instance; subscribe to a plan to get one')
  if (pointId !== undefined) return { instanceId: instance.id, point: await readyPoint(deps, userId, pointId) }
  if (isAwake(instance)) return { instanceId: instance.id, point: null }
  const points = await deps.restorePoints.list(userId)
  const point = points.find(({ state, instanceId }) => state === 'ready' && instanceId === instance.id)
  if (!point) throw conflict('The instance is paused and has no restore point yet. Resume it, then try again.')
  return { instanceId: instance.id, point }
}

/** A point of this user that is whole. @throws not-found, conflict */
export async function readyPoint(
  { restorePoints }: Pick<Ports, 'restorePoints'>,
  userId: string,
  id: string,
): Promise<StoredPoint> {
  const point = await restorePoints.find(userId, id)
  if (!point) throw notFound('restore point')
  if (point.state !== 'ready')
    throw conflict('This restore point is not ready. Wait until its state is "ready", or choose another.')
  return point
}
