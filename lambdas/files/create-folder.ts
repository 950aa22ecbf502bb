import * as z from 'zod'
import { changeVolume, taskStatus } from '../../app/files/change-volume.ts'
import { filePath } from '../../domain/agent/task.ts'
import { filesTask } from '../../domain/files/task-view.ts'
import { operation } from '../kit/operation.ts'

export const createFolder = operation({
  id: 'createFolder',
  summary: 'Create a folder on the volume',
  description: 'The request gets 409 if the name is taken. 202 means that a volume worker has to start first.',
  http: { method: 'POST', path: '/instance/folders', status: taskStatus },
  creates: true,
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ path: filePath.min(1).meta({ example: 'workspace/notes' }) }),
  output: z.object({ task: filesTask }),
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', instances: 'read', tasks: 'write' },
  commits: true,
  run: async ({ input: { path }, actor: { userId }, deps, now, outboxFor }) => {
    const job = { kind: 'make-folder' as const, path }
    return { task: await changeVolume(deps, { userId, outboxFor, record: path, now }, job) }
  },
})
