import * as z from 'zod'
import { requireVolume, startVolumeWorker } from '../../app/files/volume-jobs.ts'
import { filesTask, openTask } from '../../domain/files/task-view.ts'
import { operation } from '../kit/operation.ts'

export const createExport = operation({
  id: 'createExport',
  summary: 'Everything on the volume as one archive',
  description:
    'A .tar.gz of all regular files; of a paused instance a volume worker makes it. Follow it with getFilesTask; once it is `done`, `url` is where to fetch it.',
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
