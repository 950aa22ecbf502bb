import type * as z from 'zod'
import {
  changingJobs,
  reportedJobs,
  type Task,
  type TaskFailure,
  type TaskResult,
  type VolumeJob,
} from '../../domain/agent/task.ts'
import { conflict, DomainError, invalid, noInstance } from '../../domain/errors.ts'
import { newBytesPerVolume } from '../../domain/files/restore-point.ts'
import {
  chunkKey,
  fetchedPlace,
  maxBytes,
  type RequestedAddresses,
  type SignedAddresses,
  storagePlace,
  storagePlaceKey,
} from '../../domain/files/storage.ts'
import { type InstanceRecord, isAsleep, isEnding } from '../../domain/instance/instance.ts'
import { gibibyte, planGiB } from '../../domain/instance/volume-limit.ts'
import { iso, secondMs } from '../../domain/time.ts'
import { type FollowUp, type OutboxPorts, outboxOf } from '../outbox/outbox.ts'
import type { Clock } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { RestorePoints, Storage, Tasks } from '../ports/files.ts'
import type { Bus, Instances } from '../ports/instance.ts'
import type { Leases } from '../ports/rates.ts'
import { completePoint, failPoint, prunePoints, requireNoRemoval, type StoragePorts } from './restore-points.ts'

/** Longest wait for a machine's answer, ms: less than API Gateway's timeout. */
const answerMs = 20 * secondMs
/** Delay before the first look at a task, ms; each later delay is half as long again, up to a second. */
const pollMs = 100

/** @throws not-found, conflict when the instance's files cannot be reached */
export function requireVolume(instance: InstanceRecord | null): InstanceRecord {
  if (!instance || instance.state === 'deleted') throw noInstance()
  if (instance.state === 'failed') throw conflict('The instance has failed. Resume it, then try again.')
  if (isEnding(instance)) throw conflict('The instance is being deleted.')
  return instance
}

/** A running machine takes the request by itself; for a sleeping instance, a volume worker starts. */
export const startVolumeWorker = (deps: { bus: Bus }, instance: InstanceRecord): FollowUp[] =>
  isAsleep(instance)
    ? [{ intent: { kind: 'wanted' }, run: () => deps.bus.publish('instance.wanted', instance.userId) }]
    : []

/** @throws conflict when it takes too long or the machine reports an obstacle */
export async function runJob(
  deps: OutboxPorts & { tasks: Tasks; bus: Bus },
  instance: InstanceRecord,
  job: VolumeJob,
): Promise<{ taskId: string; result: TaskResult }> {
  const { userId } = instance
  const taskId = deps.ids.next('tsk')
  const startMs = deps.clock.now()
  const outbox = outboxOf(deps, userId, startVolumeWorker(deps, instance))
  await deps.tasks.add(userId, taskId, job, startMs, outbox)
  await outbox.flush()
  const result = await resultOf(deps, userId, taskId, startMs)
  if (result) return { taskId, result }
  await deps.tasks.cancel(userId, taskId)
  throw conflict(
    isAsleep(instance)
      ? 'The instance is paused, and a volume worker for its files is on its way. Try again in half a minute.'
      : 'The machine did not answer in time: it starts or is busy. Try again in a moment.',
  )
}

/** Null if the task is not done within the caller's waiting time. @throws the obstacle that its machine reports */
export async function resultOf(
  deps: { tasks: Tasks; clock: Clock },
  userId: string,
  taskId: string,
  startMs: number,
): Promise<TaskResult | null> {
  for (let waitMs = pollMs; deps.clock.now() - startMs < answerMs; waitMs = Math.min(waitMs * 1.5, secondMs)) {
    await deps.clock.sleep(waitMs)
    const found = await deps.tasks.find(userId, taskId)
    if (found?.state === 'done') return found.result
    if (found?.state === 'failed') throw failureOf(found.failure)
  }
  return null
}

const failureOf = ({ code, message }: TaskFailure): DomainError =>
  code === 'validation' ? invalid('path', message) : new DomainError(code, message)

/** @throws conflict when a point would exceed the plan; rate-limited while pieces are being removed */
export async function signAddresses(
  deps: { storage: Storage; tasks: Tasks; instances: Instances; leases: Leases },
  { userId, instanceId }: { userId: string; instanceId: string },
  { id, job }: Task,
  { put, get }: RequestedAddresses,
  nowMs: number,
): Promise<SignedAddresses> {
  const { storage } = deps
  const uploadId = job.kind === 'write' ? (job.upload?.id ?? null) : null
  const target = { id, pointId: 'pointId' in job ? job.pointId : null, uploadId }
  const stores = job.kind === 'snapshot' || job.kind === 'export' || job.kind === 'read'
  if (put.length > 0 && !stores) throw invalid('put', 'this task stores nothing.')
  const fetched = fetchedBy(job.kind)
  if (get.some((name) => fetched !== 'all' && name !== fetched)) throw invalid('get', 'this task cannot fetch this.')
  const keyOf = (name: string) =>
    fetchedPlace.safeParse(name).success ? storagePlaceKey(instanceId, target, name) : chunkKey(instanceId, name)
  if (put.some(({ name }) => !isPlace(name))) await requireNoRemoval(deps, instanceId, nowMs)
  let newBytes = 0
  const puts = put.map(async ({ name, size }): Promise<[string, string][]> => {
    if (size > limitOf(name)) throw invalid('size', `at most ${limitOf(name)} bytes.`)
    if (job.kind !== 'snapshot' && name !== 'handover') throw invalid('name', 'this task has no such place.')
    if (isPlace(name)) return [[name, await storage.putAddress(keyOf(name), size)]]
    const stored = (await storage.size(keyOf(name))) === size
    if (stored) return []
    newBytes += size
    return [[name, await storage.putAddress(keyOf(name), size, name)]]
  })
  const gets = get.map(async (name): Promise<[string, string]> => [name, await storage.getAddress(keyOf(name))])
  const [putAddresses, getAddresses] = await Promise.all([Promise.all(puts), Promise.all(gets)])
  if (newBytes > 0) await countNewBytes(deps, userId, id, newBytes)
  return { put: Object.fromEntries(putAddresses.flat()), get: Object.fromEntries(getAddresses) }
}

function fetchedBy(kind: VolumeJob['kind']): 'all' | 'files' | 'upload' | null {
  if (kind === 'restore') return 'all'
  if (kind === 'compare') return 'files'
  return kind === 'write' ? 'upload' : null
}

/** Counts new data by the sizes of its upload addresses, whatever the machine reports about its volume. */
async function countNewBytes(
  { instances, tasks }: { instances: Instances; tasks: Tasks },
  userId: string,
  taskId: string,
  bytes: number,
): Promise<void> {
  const instance = await instances.find(userId)
  const most = planGiB(instance?.plan ?? '') * gibibyte * newBytesPerVolume
  if (!(await tasks.countStored(userId, taskId, bytes, most)))
    throw conflict('The volume is far larger than the plan allows, so it cannot have a restore point.')
}

const isPlace = (name: string): name is z.infer<typeof storagePlace> => storagePlace.safeParse(name).success

const limitOf = (name: string): number => maxBytes[isPlace(name) ? name : 'chunk']

export async function finishTask(
  deps: StoragePorts & { events: Events; instances: Instances; leases: Leases },
  machine: { userId: string; instanceId: string; generation: number },
  { id, job }: Task,
  outcome: TaskResult | TaskFailure,
  nowMs: number,
): Promise<void> {
  const { userId, instanceId, generation } = machine
  if (job.kind === 'snapshot') await completePoint(deps, machine, job.pointId, outcome, nowMs)
  if (!(await deps.tasks.finish(userId, id, generation, outcome, nowMs))) return
  // No restore point is as new as the changed volume.
  if (changingJobs.has(job.kind)) await deps.instances.touch(userId, iso(nowMs), 'person')
  if (!reportedJobs.has(job.kind)) return
  await deps.events.record(userId, 'files.task_ended', { taskId: id, kind: job.kind, ok: 'kind' in outcome })
  if (job.kind === 'snapshot') await prunePoints(deps, userId, instanceId, nowMs)
}

export async function failOpenTasks(
  deps: { tasks: Tasks; restorePoints: RestorePoints },
  userId: string,
  nowMs: number,
): Promise<void> {
  const message = 'It could not be done in time. Try again later; if it fails again, contact support.'
  for (const { id, job } of await deps.tasks.listOpen(userId)) {
    if (job.kind === 'snapshot') await failPoint(deps, userId, job.pointId, message, nowMs)
    await deps.tasks.cancel(userId, id, { code: 'conflict', message })
  }
}
