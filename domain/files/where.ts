import { conflict, notFound } from '../errors.ts'
import type { InstanceRecord } from '../instance/instance.ts'
import type { Ports } from '../ports.ts'
import { mustServe } from './errands.ts'
import type { StoredPoint } from './point.ts'

/**
 * The point that was named; null for the volume itself, as a machine or a keeper sees it; for one that sleeps and has not
 * changed since its newest restore point, that point, which costs no machine. @throws not-found, conflict
 */
export async function whereToRead(
  deps: Pick<Ports, 'instances' | 'restorePoints'>,
  userId: string,
  pointId?: string,
): Promise<{ instance: InstanceRecord; point: StoredPoint | null }> {
  const instance = mustServe(await deps.instances.find(userId))
  if (pointId !== undefined) return { instance, point: await readyPoint(deps, userId, pointId) }
  if (instance.state !== 'paused') return { instance, point: null }
  const points = await deps.restorePoints.list(userId)
  return { instance, point: points.find((point) => isAsItIs(point, instance)) ?? null }
}

/** True for a point that was taken after the last thing that happened on the volume. */
const isAsItIs = ({ state, instanceId, createdAt }: StoredPoint, { id, lastActivityAt }: InstanceRecord): boolean =>
  state === 'ready' && instanceId === id && createdAt >= (lastActivityAt ?? '')

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
