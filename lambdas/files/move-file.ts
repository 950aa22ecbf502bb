import * as z from 'zod'
import { changeVolume, taskStatus } from '../../app/files/change-volume.ts'
import { filePath } from '../../domain/agent/task.ts'
import { operation } from '../kit/operation.ts'
import { volumeTask } from './volume-task.ts'

export const moveFile = operation({
  ...volumeTask,
  id: 'moveFile',
  summary: 'Rename or move a file or a folder',
  description:
    'The request gets 409 if `to` exists, unless `replace` is true and both are files. 202 means that a volume ' +
    'worker has to start first.',
  http: { method: 'POST', path: '/instance/file-moves', status: taskStatus },
  input: z.strictObject({
    from: filePath.min(1).meta({ example: 'workspace/tides.md' }),
    to: filePath.min(1).meta({ example: 'workspace/notes/tides.md' }),
    replace: z.boolean().default(false).meta({ description: 'Replaces a file at `to`.' }),
  }),
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const job = { kind: 'move' as const, ...input }
    return { task: await changeVolume(deps, { userId, outboxFor, record: input.from, now }, job) }
  },
})
