import * as z from 'zod'
import { volumePath } from '../../domain/agent/task.ts'
import { askPoint } from '../../domain/files/ask-point.ts'
import { askMachine, mustServe } from '../../domain/files/errands.ts'
import { filesTask, openTask } from '../../domain/files/task-view.ts'
import { readyPoint } from '../../domain/files/where.ts'
import { operation } from '../kit/operation.ts'

export const restoreFiles = operation({
  id: 'restoreFiles',
  summary: 'Bring back a restore point: one file or folder, or all of it',
  description:
    'With `path` only that file or folder is written back. Without, the volume becomes what it was: what came after is ' +
    'removed, and a restore point of it is taken first. The agent is started anew; a paused instance stays paused.',
  http: { method: 'POST', path: '/instance/restore-points/{id}/restore', status: 202 },
  auth: 'user',
  scope: 'api:instance',
  limit: 'write',
  input: z.strictObject({ id: z.string(), path: volumePath.min(1).optional() }),
  output: z.object({ task: filesTask }),
  errors: ['not-found', 'conflict'],
  uses: ['bus', 'instances', 'restorePoints', 'tasks'],
  audit: ({ input }) => ({ record: input.id }),
  run: async ({ input, actor: { userId }, deps, now }) => {
    const instance = mustServe(await deps.instances.find(userId))
    const point = await readyPoint(deps, userId, input.id)
    if (input.path === undefined) await askPoint(deps, instance, 'restore', now)
    const id = deps.ids.next('tsk')
    await askMachine(deps, instance, id, { kind: 'restore', pointId: point.id, path: input.path ?? null }, now)
    return { task: openTask(id) }
  },
})
