import * as z from 'zod'
import type { Task, TaskFailure, TaskResult } from '../agent/task.ts'
import type { Ports } from '../ports.ts'
import { iso } from '../time.ts'
import { chunkFolder, chunkKey, chunksKey, indexKey, sha256 } from './keys.ts'
import { outdated } from './point.ts'

/** The pieces a restore point is made of, in order. */
export const chunkList = z.array(z.object({ sha256, size: z.int().min(1) }))
export type ChunkList = z.infer<typeof chunkList>

type FilePorts = Pick<Ports, 'tasks' | 'restorePoints' | 'storage'>
type FinishPorts = FilePorts & Pick<Ports, 'events' | 'instances'>

/** Whose task it is. */
export interface Holder {
  userId: string
  instanceId: string
  generation: number
}

/** Takes in how a task ended, and what follows from it for the restore point it was about. */
export async function finishTask(
  deps: FinishPorts,
  holder: Holder,
  task: Task,
  how: TaskResult | TaskFailure,
  nowMs: number,
): Promise<void> {
  const { userId, instanceId, generation } = holder
  const { errand } = task
  if (errand.kind === 'snapshot') await closePoint(deps, holder, errand.pointId, how, nowMs)
  if (!(await deps.tasks.end(userId, task.id, generation, how, nowMs))) return
  // No point is as new as the volume is now.
  if (errand.kind === 'restore') await deps.instances.touch(userId, iso(nowMs))
  if (errand.kind === 'list' || errand.kind === 'read' || errand.kind === 'drain') return
  await deps.events.record(userId, 'files.task_ended', { taskId: task.id, kind: errand.kind, ok: 'kind' in how })
  if (errand.kind === 'snapshot') await prune(deps, userId, instanceId, nowMs)
}

/** Ends a task that no machine got done, and the restore point it was about. */
export async function giveUpTask(
  deps: Pick<Ports, 'tasks' | 'restorePoints'>,
  userId: string,
  { id, errand }: Pick<Task, 'id' | 'errand'>,
  nowMs: number,
): Promise<void> {
  const failure = 'It could not be done in time. Try again later; if it fails again, contact support.'
  if (errand.kind === 'snapshot') {
    const none = { census: null, newBytes: null }
    await deps.restorePoints.finish(userId, errand.pointId, {
      state: 'failed',
      completedAt: iso(nowMs),
      ...none,
      failure,
    })
  }
  await deps.tasks.drop(userId, id, { code: 'conflict', message: failure })
}

async function closePoint(
  deps: FilePorts,
  { userId, instanceId }: Holder,
  pointId: string,
  how: TaskResult | TaskFailure,
  nowMs: number,
) {
  const completedAt = iso(nowMs)
  const whole =
    'kind' in how && how.kind === 'snapshot' && (await deps.storage.size(chunksKey(instanceId, pointId))) !== null
  await deps.restorePoints.finish(
    userId,
    pointId,
    whole
      ? { state: 'ready', completedAt, census: how.census, newBytes: how.newBytes, failure: null }
      : {
          state: 'failed',
          completedAt,
          census: null,
          newBytes: null,
          failure: 'message' in how ? how.message : 'It is not whole.',
        },
  )
}

/**
 * Removes restore points that have served their time, and pieces that no point is made of any more. Runs when a point
 * is done, so no other is being made meanwhile: a machine does one task at a time.
 */
export async function prune(deps: FilePorts, userId: string, instanceId: string, nowMs: number): Promise<string[]> {
  const points = await deps.restorePoints.list(userId)
  const gone = outdated(points, nowMs)
  if (gone.length === 0) return gone
  for (const id of gone) {
    await deps.restorePoints.remove(userId, id)
    await deps.storage.remove([indexKey(instanceId, id), chunksKey(instanceId, id)])
  }
  const used = new Set<string>()
  for (const { id, state } of points) {
    if (gone.includes(id) || state !== 'ready') continue
    for (const one of await readChunks(deps, instanceId, id)) used.add(chunkKey(instanceId, one.sha256))
  }
  const unused: string[] = []
  for await (const key of deps.storage.list(chunkFolder(instanceId))) if (!used.has(key)) unused.push(key)
  await deps.storage.remove(unused)
  return gone
}

/** @throws when the point's list is gone: nothing may be removed by half a list */
async function readChunks(
  { storage }: Pick<Ports, 'storage'>,
  instanceId: string,
  pointId: string,
): Promise<ChunkList> {
  const key = chunksKey(instanceId, pointId)
  const size = await storage.size(key)
  if (size === null) throw new Error('a restore point lacks its list of chunks')
  return chunkList.parse(JSON.parse(new TextDecoder().decode(await storage.read(key, 0, size))))
}
