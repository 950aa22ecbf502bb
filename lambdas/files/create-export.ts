import { requireVolume, startVolumeWorker } from '../../app/files/volume-jobs.ts'
import { openTask } from '../../domain/files/task-view.ts'
import { operation } from '../kit/operation.ts'
import { volumeTask } from './volume-task.ts'

export const createExport = operation({
  ...volumeTask,
  id: 'createExport',
  summary: 'Export the whole volume as one archive',
  description:
    'Creates a .tar.gz of all regular files; for a paused instance a volume worker does. Poll `getFilesTask` until ' +
    'it is `done`; then `url` is the address of the archive.',
  http: { method: 'POST', path: '/instance/export', status: 202 },
  run: async ({ actor: { userId }, deps, now, outboxFor }) => {
    const instance = requireVolume(await deps.instances.find(userId))
    const id = deps.ids.next('tsk')
    const outbox = outboxFor(id, startVolumeWorker(deps, instance))
    await deps.tasks.add(userId, id, { kind: 'export' }, now, outbox)
    await outbox.flush()
    return { task: openTask(id) }
  },
})
