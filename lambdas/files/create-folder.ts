import * as z from 'zod'
import { changeVolume, taskStatus } from '../../app/files/change-volume.ts'
import { filePath } from '../../domain/agent/task.ts'
import { operation } from '../kit/operation.ts'
import { volumeTask } from './volume-task.ts'

export const createFolder = operation({
  ...volumeTask,
  id: 'createFolder',
  summary: 'Create a folder on the volume',
  description: 'The request gets 409 if the name is taken. 202 means that a volume worker has to start first.',
  http: { method: 'POST', path: '/instance/folders', status: taskStatus },
  input: z.strictObject({ path: filePath.min(1).meta({ example: 'workspace/notes' }) }),
  run: async ({ input: { path }, actor: { userId }, deps, now, outboxFor }) => {
    const job = { kind: 'make-folder' as const, path }
    return { task: await changeVolume(deps, { userId, outboxFor, record: path, now }, job) }
  },
})
