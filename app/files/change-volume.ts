import type { TaskResult, VolumeJob } from '../../domain/agent/task.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import { notFound } from '../../domain/errors.ts'
import { type FilesTask, openTask, showTask } from '../../domain/files/task-view.ts'
import { type InstanceRecord, isAsleep } from '../../domain/instance/instance.ts'
import type { OutboxFor } from '../outbox/outbox.ts'
import type { Clock, Ids } from '../ports/basics.ts'
import type { Conversations } from '../ports/chat.ts'
import type { RestorePoints, Storage, Tasks } from '../ports/files.ts'
import type { Bus, Instances } from '../ports/instance.ts'
import { isInPoint } from './browse.ts'
import { requireVolume, resultOf, startVolumeWorker } from './volume-jobs.ts'

type ChangePorts = { instances: Instances; tasks: Tasks; bus: Bus; ids: Ids; clock: Clock }

const maxRecord = 200

/**
 * Waits for a running machine; a volume worker has to start first, so its task is returned open.
 * @throws not-found, conflict
 */
export async function changeVolume(
  deps: ChangePorts,
  { userId, outboxFor, record, now }: { userId: string; outboxFor: OutboxFor; record: string; now: number },
  job: VolumeJob,
): Promise<FilesTask> {
  const instance = requireVolume(await deps.instances.find(userId))
  const id = deps.ids.next('tsk')
  const outbox = outboxFor(record.slice(0, maxRecord), startVolumeWorker(deps, instance))
  await deps.tasks.add(userId, id, job, now, outbox)
  await outbox.flush()
  const result = isAsleep(instance) ? null : await resultOf(deps, userId, id, now)
  return result ? showTask(id, { state: 'done', result }, null) : openTask(id)
}

export const taskStatus = ({ task }: { task: FilesTask }) => (task.state === 'open' ? (202 as const) : (200 as const))

/** The newest ready restore point, if it has this file, or anything in this folder. */
export async function keptIn(
  deps: { restorePoints: RestorePoints; storage: Storage },
  { id, userId }: Pick<InstanceRecord, 'id' | 'userId'>,
  path: string,
): Promise<{ id: string; createdAt: string } | null> {
  const points = await deps.restorePoints.list(userId)
  const newest = points.find(({ state, instanceId }) => state === 'ready' && instanceId === id)
  if (!newest || !(await isInPoint(deps, newest, path))) return null
  return { id: newest.id, createdAt: newest.createdAt }
}

/** The prompt of an answered message: for any other, no machine is started. @throws not-found */
export async function requireAnswered(
  { conversations }: { conversations: Conversations },
  userId: string,
  messageId: string,
): Promise<string> {
  const promptId = promptIdOf(messageId)
  if ((await conversations.outcomeOf(userId, promptId)) === null) throw notFound('message that was answered')
  return promptId
}

/** @throws when the machine's result has another kind */
export function ofKind<K extends TaskResult['kind']>(result: TaskResult, kind: K): Extract<TaskResult, { kind: K }> {
  if (result.kind !== kind) throw new Error(`a machine answered ${result.kind} for ${kind}`)
  return result as Extract<TaskResult, { kind: K }> // safe because its kind was just looked at
}
