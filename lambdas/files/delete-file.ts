import * as z from 'zod'
import { changeVolume, keptIn, taskStatus } from '../../app/files/change-volume.ts'
import { requireVolume } from '../../app/files/volume-jobs.ts'
import { filePath } from '../../domain/agent/task.ts'
import { filesTask } from '../../domain/files/task-view.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { operation } from '../kit/operation.ts'

const keptPoint = z
  .object({ id: z.string().meta({ example: 'rsp_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }), createdAt: timestamp })
  .nullable()
  .meta({
    id: 'KeptInPoint',
    description: 'The newest restore point if it contains the file, or anything in the folder; otherwise null.',
  })

export const deleteFile = operation({
  id: 'deleteFile',
  summary: 'Delete a file, or a folder with everything in it',
  description:
    '`restoreFiles` can restore it from the newest restore point if `restorePoint` says that it is in there.',
  http: { method: 'DELETE', path: '/instance/files/{path+}', status: taskStatus },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ path: filePath.min(1).meta({ description: 'Its path on the volume.' }) }),
  output: z.object({ task: filesTask, restorePoint: keptPoint }),
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', instances: 'read', restorePoints: 'read', storage: 'read', tasks: 'write' },
  commits: true,
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const path = input.path.replace(/\/+$/, '')
    const restorePoint = await keptIn(deps, requireVolume(await deps.instances.find(userId)), path)
    const task = await changeVolume(deps, { userId, outboxFor, record: path, now }, { kind: 'remove', path })
    return { task, restorePoint }
  },
})
