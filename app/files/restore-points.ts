import type { TaskFailure, TaskResult } from '../../domain/agent/task.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import {
  type ChunkList,
  chunkList,
  outdated,
  type PointReason,
  type StoredPoint,
} from '../../domain/files/restore-point.ts'
import { chunkKey, chunksKey, indexKey, instanceFolder } from '../../domain/files/storage.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { iso, minuteMs } from '../../domain/time.ts'
import { commit, doneByAct } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'
import type { Storage } from './ports.ts'

type RequestPorts = Pick<Ports, 'tasks' | 'restorePoints'> & Pick<Basics, 'ids'>
type StoragePorts = Pick<Ports, 'restorePoints' | 'storage' | 'outbox'> & Pick<Basics, 'ids' | 'clock'>
type Served = Pick<InstanceRecord, 'id' | 'userId'>

/** A point that is to be made. */
export const newPoint = (
  { ids }: Pick<Basics, 'ids'>,
  { id }: Served,
  reason: PointReason,
  nowMs: number,
): StoredPoint => ({
  id: ids.next('rsp'),
  state: 'making',
  reason,
  createdAt: iso(nowMs),
  completedAt: null,
  summary: null,
  newBytes: null,
  failure: null,
  instanceId: id,
  taskId: ids.next('tsk'),
})

/** Asks the instance's machine for it, between turns; the point and its task are written together. False while another is made. */
export const addPoint = (
  { tasks, restorePoints }: RequestPorts,
  userId: string,
  point: StoredPoint,
  nowMs: number,
): Promise<boolean> =>
  tasks.add(userId, point.taskId, { kind: 'snapshot', pointId: point.id }, nowMs, () =>
    restorePoints.add(userId, point),
  )

/** Asks for a point, unless one is being made: that one will do. */
export const requestRestorePoint = async (
  deps: RequestPorts,
  instance: Served,
  reason: PointReason,
  nowMs: number,
): Promise<boolean> => addPoint(deps, instance.userId, newPoint(deps, instance, reason, nowMs), nowMs)

/** A point asked for this recently will do: repeated changes must not push the daily ones out. */
const freshMs = 10 * minuteMs

/**
 * Asks for a restore point before something changes, if a machine runs that could take it. The change does not wait for
 * it and goes ahead without it: what fails here must not stand in the way of what the user asked for.
 */
export async function requestPreChangePoint(
  deps: RequestPorts,
  instance: Pick<InstanceRecord, 'id' | 'userId' | 'state'> | null,
  reason: PointReason,
  nowMs: number,
): Promise<void> {
  if (instance?.state !== 'running') return
  try {
    const fresh = (await deps.restorePoints.list(instance.userId)).some(
      ({ instanceId, state, createdAt }) =>
        instanceId === instance.id && state !== 'failed' && nowMs - Date.parse(createdAt) < freshMs,
    )
    if (!fresh) await requestRestorePoint(deps, instance, reason, nowMs)
  } catch {
    // The daily point remains.
  }
}

/** A point of this user that is whole. @throws not-found, conflict */
export async function findReadyPoint(
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

/** Notes how the task that makes a point ended; a point without its list of chunks has failed whatever the task says. */
export async function completePoint(
  deps: Pick<Ports, 'restorePoints' | 'storage'>,
  { userId, instanceId }: { userId: string; instanceId: string },
  pointId: string,
  outcome: TaskResult | TaskFailure,
  nowMs: number,
): Promise<void> {
  if ('message' in outcome) return failPoint(deps, userId, pointId, outcome.message, nowMs)
  const whole = outcome.kind === 'snapshot' && (await deps.storage.size(chunksKey(instanceId, pointId))) !== null
  if (!whole) return failPoint(deps, userId, pointId, 'It is not whole.', nowMs)
  const { summary, newBytes } = outcome
  const completed = { state: 'ready' as const, completedAt: iso(nowMs), summary, newBytes, failure: null }
  await deps.restorePoints.finish(userId, pointId, completed)
}

export async function failPoint(
  { restorePoints }: Pick<Ports, 'restorePoints'>,
  userId: string,
  pointId: string,
  failure: string,
  nowMs: number,
): Promise<void> {
  const completedAt = iso(nowMs)
  await restorePoints.finish(userId, pointId, { state: 'failed', completedAt, summary: null, newBytes: null, failure })
}

/**
 * Removes restore points that have served their time, and pieces that no point is made of any more. Runs when a point
 * is done, so no other is being made meanwhile: a machine does one task at a time.
 */
export async function prunePoints(
  deps: StoragePorts,
  userId: string,
  instanceId: string,
  nowMs: number,
): Promise<void> {
  const removed = outdated(await deps.restorePoints.list(userId), nowMs)
  if (removed.length === 0) return
  await commit(deps, userId, { followUps: [doneByAct({ kind: 'prune', instanceId })] }, async () => {
    for (const id of removed) await deps.restorePoints.remove(userId, id)
    await removeUnused(deps, userId, instanceId)
  })
}

/** Removes the objects of an instance that belong to none of its points. @throws while one is being made: some are its own */
export async function removeUnused(
  { restorePoints, storage }: Pick<Ports, 'restorePoints' | 'storage'>,
  userId: string,
  instanceId: string,
): Promise<void> {
  const points = (await restorePoints.list(userId)).filter((point) => point.instanceId === instanceId)
  if (points.some(({ state }) => state === 'making')) throw conflict('A restore point is being made.')
  const used = new Set<string>()
  for (const { id, state } of points) {
    if (state !== 'ready') continue
    for (const key of [indexKey(instanceId, id), chunksKey(instanceId, id)]) used.add(key)
    for (const { sha256 } of await readChunkList(storage, instanceId, id)) used.add(chunkKey(instanceId, sha256))
  }
  const unused: string[] = []
  for await (const key of storage.list(instanceFolder(instanceId))) if (!used.has(key)) unused.push(key)
  await storage.remove(unused)
}

/** The pieces of a point. @throws when its list is gone: nothing may be removed by half a list */
export async function readChunkList(storage: Storage, instanceId: string, pointId: string): Promise<ChunkList> {
  const key = chunksKey(instanceId, pointId)
  const size = await storage.size(key)
  if (size === null) throw new Error('a restore point lacks its list of chunks')
  return chunkList.parse(JSON.parse(new TextDecoder().decode(await storage.read(key, 0, size))))
}
