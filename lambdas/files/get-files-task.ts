import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { handoverKey } from '../../domain/files/storage.ts'
import { filesTask, showTask } from '../../domain/files/task-view.ts'
import { operation } from '../kit/operation.ts'

export const getFilesTask = operation({
  id: 'getFilesTask',
  summary: 'Get the progress of a change, a restore or an export of the volume',
  http: { method: 'GET', path: '/instance/tasks/{id}' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ id: z.string() }),
  output: z.object({ task: filesTask }),
  errors: ['not-found'],
  uses: { instances: 'read', storage: 'read', tasks: 'read' },
  audit: ({ input, output }) => (output.task.url ? input.id : null),
  run: async ({ input: { id }, actor: { userId }, deps }) => {
    const [instance, task] = await Promise.all([deps.instances.find(userId), deps.tasks.find(userId, id)])
    if (!instance || !task) throw notFound('task')
    const exported = task.state === 'done' && task.result.kind === 'export'
    const url = exported ? await deps.storage.getAddress(handoverKey(instance.id, id), 'volume.tar.gz') : null
    return { task: showTask(id, task, url) }
  },
})
