import * as z from 'zod'
import { requireVolume, submitJob } from '../../app/files/volume-jobs.ts'
import { filesTask, openTask } from '../../domain/files/task-view.ts'
import { operation } from '../kit/operation.ts'

export const createExport = operation({
  id: 'createExport',
  summary: 'Everything on the volume as one archive',
  description:
    'A .tar.gz of all regular files; of a paused instance a volume worker makes it. Follow it with getFilesTask; once it is `done`, `url` is where to fetch it.',
  http: { method: 'POST', path: '/instance/export', status: 202 },
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ task: filesTask }),
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', instances: 'read', tasks: 'write' },
  audit: ({ output }) => ({ record: output.task.id }),
  run: async ({ actor: { userId }, deps, now }) => {
    const instance = requireVolume(await deps.instances.find(userId))
    const id = deps.ids.next('tsk')
    await submitJob(deps, instance, id, { kind: 'export' }, now)
    return { task: openTask(id) }
  },
})
