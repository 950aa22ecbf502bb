import * as z from 'zod'
import { requireVolume, startVolumeWorker } from '../../app/files/volume-jobs.ts'
import { filesTask, openTask } from '../../domain/files/task-view.ts'
import { operation } from '../kit/operation.ts'

export const createExport = operation({
  id: 'createExport',
  summary: 'Export the whole volume as one archive',
  description:
    'Creates a .tar.gz of all regular files; for a paused instance a volume worker does. Poll `getFilesTask` until ' +
    'it is `done`; then `url` is the address of the archive.',
  http: { method: 'POST', path: '/instance/export', status: 202 },
  creates: true,
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ task: filesTask }),
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', instances: 'read', tasks: 'write' },
  commits: true,
  run: async ({ actor: { userId }, deps, now, outboxFor }) => {
    const instance = requireVolume(await deps.instances.find(userId))
    const id = deps.ids.next('tsk')
    const outbox = outboxFor(id, startVolumeWorker(deps, instance))
    await deps.tasks.add(userId, id, { kind: 'export' }, now, outbox)
    await outbox.flush()
    return { task: openTask(id) }
  },
})
