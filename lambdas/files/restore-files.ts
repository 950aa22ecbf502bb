import * as z from 'zod'
import { addPoint, findReadyPoint, newPoint } from '../../app/files/restore-points.ts'
import { requireVolume, startVolumeWorker } from '../../app/files/volume-jobs.ts'
import { filePath } from '../../domain/agent/task.ts'
import { openTask } from '../../domain/files/task-view.ts'
import { operation } from '../kit/operation.ts'
import { volumeTask } from './volume-task.ts'

export const restoreFiles = operation({
  ...volumeTask,
  id: 'restoreFiles',
  summary: 'Restore a file, a folder or the whole volume from a restore point',
  description:
    'With `path`, only that file or folder is restored. Without `path`, the whole volume is restored: later files ' +
    'are removed, after a restore point of the present state was taken. The agent restarts; a paused instance stays ' +
    'paused.',
  http: { method: 'POST', path: '/instance/restore-points/{id}/restore', status: 202 },
  input: z.strictObject({ id: z.string(), path: filePath.min(1).optional() }),
  uses: { bus: 'write', instances: 'read', restorePoints: 'write', tasks: 'write' },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const instance = requireVolume(await deps.instances.find(userId))
    const point = await findReadyPoint(deps, userId, input.id)
    // The point's task is older than the restore's, so it is done first.
    const before = input.path === undefined ? newPoint(deps, instance, 'restore', now) : null
    const id = deps.ids.next('tsk')
    const job = { kind: 'restore', pointId: point.id, path: input.path ?? null } as const
    const outbox = outboxFor(input.id, startVolumeWorker(deps, instance))
    const restore = deps.tasks.entry(userId, id, job, now)
    const isAdded = before !== null && (await addPoint(deps, userId, before, now, restore, outbox))
    // A point in progress already shows the same state.
    if (!isAdded) await deps.tasks.add(userId, id, job, now, outbox)
    await outbox.flush()
    return { task: openTask(id) }
  },
})
