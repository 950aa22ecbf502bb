import type { TaskFailure, TaskResult } from '../../domain/agent/task.ts'
import { conflict, notFound, rateLimited } from '../../domain/errors.ts'
import {
  type ChunkList,
  chunkList,
  outdated,
  type PointReason,
  type StoredPoint,
} from '../../domain/files/restore-point.ts'
import { chunkKey, chunksKey, indexKey, instanceFolder, maxBytes } from '../../domain/files/storage.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { iso, minuteMs } from '../../domain/time.ts'
import { doneByCaller, type OutboxPorts, outboxOf } from '../outbox/outbox.ts'
import type { Clock, Ids } from '../ports/basics.ts'
import type { RestorePoints, Storage, Tasks } from '../ports/files.ts'
import type { Part } from '../ports/part.ts'
import type { Leases } from '../ports/rates.ts'

type RequestPorts = { tasks: Tasks; restorePoints: RestorePoints; ids: Ids }
export type StoragePorts = OutboxPorts & { restorePoints: RestorePoints; storage: Storage; tasks: Tasks }
type Served = Pick<InstanceRecord, 'id' | 'userId'>

const removal = (instanceId: string) => `pieces#${instanceId}`

/** The lock outlives the function that removes pieces. */
const removalSlot = { max: 1, ttlMs: 2 * minuteMs }

/** Most objects that one call removes: about ten seconds. */
const removedAtOnce = 500

export const newPoint = ({ ids }: { ids: Ids }, { id }: Served, reason: PointReason, nowMs: number): StoredPoint => ({
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

/** The point and its task are written in one transaction. False while another point is being made. */
export const addPoint = (
  { tasks, restorePoints }: RequestPorts,
  userId: string,
  point: StoredPoint,
  nowMs: number,
  ...also: Part[]
): Promise<boolean> => {
  const task = tasks.entry(userId, point.taskId, { kind: 'snapshot', pointId: point.id }, nowMs)
  return restorePoints.add(userId, point, task, ...also)
}

export const requestRestorePoint = async (
  deps: RequestPorts,
  instance: Served,
  reason: PointReason,
  nowMs: number,
): Promise<boolean> => addPoint(deps, instance.userId, newPoint(deps, instance, reason, nowMs), nowMs)

/** A point requested this recently suffices: repeated changes must not push out the daily points. */
const freshMs = 10 * minuteMs

/** The change does not wait for the point, and a failure here must not prevent the change. */
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

/** @throws not-found, conflict when it is not ready */
export async function findReadyPoint(
  { restorePoints }: { restorePoints: RestorePoints },
  userId: string,
  id: string,
): Promise<StoredPoint> {
  const point = await restorePoints.find(userId, id)
  if (!point) throw notFound('restore point')
  if (point.state !== 'ready')
    throw conflict('This restore point is not ready. Wait until its state is "ready", or choose another.')
  return point
}

/** A point that lacks its list or a piece has failed, whatever its task reports. */
export async function completePoint(
  deps: { restorePoints: RestorePoints; storage: Storage },
  { userId, instanceId }: { userId: string; instanceId: string },
  pointId: string,
  outcome: TaskResult | TaskFailure,
  nowMs: number,
): Promise<void> {
  if ('message' in outcome) return failPoint(deps, userId, pointId, outcome.message, nowMs)
  if (outcome.kind !== 'snapshot' || !(await isWhole(deps.storage, instanceId, pointId)))
    return failPoint(deps, userId, pointId, 'It is not whole.', nowMs)
  const { summary, newBytes } = outcome
  const completed = { state: 'ready' as const, completedAt: iso(nowMs), summary, newBytes, failure: null }
  await deps.restorePoints.finish(userId, pointId, completed)
}

/** Whether all pieces of a point are stored; the machine itself reported their list. */
async function isWhole(storage: Storage, instanceId: string, pointId: string): Promise<boolean> {
  const list = await readChunkList(storage, instanceId, pointId).catch(() => null)
  if (!list) return false
  const stored = new Set<string>()
  for await (const key of storage.list(instanceFolder(instanceId))) stored.add(key)
  return list.every(({ sha256 }) => stored.has(chunkKey(instanceId, sha256)))
}

export async function failPoint(
  { restorePoints }: { restorePoints: RestorePoints },
  userId: string,
  pointId: string,
  failure: string,
  nowMs: number,
): Promise<void> {
  const completedAt = iso(nowMs)
  await restorePoints.finish(userId, pointId, { state: 'failed', completedAt, summary: null, newBytes: null, failure })
}

/**
 * Removes outdated restore points, and pieces that belong to no point. A point in progress may rely on pieces that no
 * other point has. So pieces are removed only while no point is in progress, and meanwhile no machine learns that a
 * piece is stored (`requireNoRemoval`). Each side records its intention before it checks for the other.
 */
export async function prunePoints(
  deps: StoragePorts & { leases: Leases },
  userId: string,
  instanceId: string,
  nowMs: number,
): Promise<void> {
  const [points, open] = await Promise.all([deps.restorePoints.list(userId), deps.tasks.listOpen(userId)])
  // A point with an open restore or comparison stays.
  const inUse = new Set(
    open.flatMap(({ job }) => (job.kind === 'restore' || job.kind === 'compare' ? [job.pointId] : [])),
  )
  const removed = outdated(points, nowMs).filter((id) => !inUse.has(id))
  if (removed.length === 0) return removeUnused(deps, userId, instanceId)
  const outbox = outboxOf(deps, userId, [doneByCaller({ kind: 'prune', instanceId })])
  for (const id of removed) await deps.restorePoints.remove(userId, id, ...(outbox.isWritten ? [] : [outbox]))
  await removeUnused(deps, userId, instanceId)
  if (outbox.isWritten) await outbox.flush()
}

/** @throws rate-limited during a removal of pieces: a piece that is stored now may be removed in a moment */
export async function requireNoRemoval({ leases }: { leases: Leases }, instanceId: string, nowMs: number) {
  if (await leases.isHeld(removal(instanceId), nowMs)) throw rateLimited(2)
}

type RemovalPorts = { restorePoints: RestorePoints; storage: Storage; leases: Leases; clock: Clock }

/** @throws conflict while a point is being made, because some unused objects may be its own */
export async function removeUnused(deps: RemovalPorts, userId: string, instanceId: string): Promise<void> {
  const slot = await deps.leases.acquire(removal(instanceId), removalSlot, deps.clock.now())
  if (!slot.acquired) throw conflict('Pieces are being removed already.')
  try {
    const points = (await deps.restorePoints.list(userId)).filter((point) => point.instanceId === instanceId)
    if (points.some(({ state }) => state === 'making')) throw conflict('A restore point is being made.')
    await deps.storage.remove(await unusedObjects(deps.storage, instanceId, points))
  } finally {
    await deps.leases.release(removal(instanceId), slot.id)
  }
}

async function unusedObjects(storage: Storage, instanceId: string, points: StoredPoint[]): Promise<string[]> {
  const used = new Set<string>()
  for (const { id, state } of points) {
    if (state !== 'ready') continue
    for (const key of [indexKey(instanceId, id), chunksKey(instanceId, id)]) used.add(key)
    for (const { sha256 } of await readChunkList(storage, instanceId, id)) used.add(chunkKey(instanceId, sha256))
  }
  const unused: string[] = []
  for await (const key of storage.list(instanceFolder(instanceId))) {
    if (!used.has(key)) unused.push(key)
    if (unused.length === removedAtOnce) break
  }
  return unused
}

/** The pieces of a point. @throws when its list is missing or invalid: nothing may be removed by half a list */
export async function readChunkList(storage: Storage, instanceId: string, pointId: string): Promise<ChunkList> {
  const key = chunksKey(instanceId, pointId)
  const size = await storage.size(key)
  if (size === null || size > maxBytes.chunks) throw new Error('a restore point lacks its list of chunks')
  return chunkList.parse(JSON.parse(new TextDecoder().decode(await storage.read(key, 0, size))))
}
