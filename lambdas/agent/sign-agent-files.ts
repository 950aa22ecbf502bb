import { signAddresses } from '../../app/files/volume-jobs.ts'
import { taskId } from '../../domain/agent/observation.ts'
import { notFound } from '../../domain/errors.ts'
import { requestedAddresses, signedAddresses } from '../../domain/files/storage.ts'
import { operation } from '../kit/operation.ts'
export const signAgentFiles = operation({
  id: 'signAgentFiles',
  summary: 'Create upload and download addresses for the pieces of a task',
  description: 'Each address is valid for one object and some minutes. A piece that is already stored gets no address.',
  http: { method: 'POST', path: '/agent/files' },
  auth: 'files',
  limit: 'agent',
  input: requestedAddresses,
  output: signedAddresses,
  errors: ['not-found', 'conflict'],
  uses: { tasks: 'write', storage: 'write', instances: 'read', leases: 'write' },
  run: async ({ input, actor, deps, now }) => {
    const task = await deps.tasks.findLeased(actor.userId, taskId.parse(input.taskId), actor.generation)
    if (!task) throw notFound('open task')
    return signAddresses(deps, actor, task, input, now)
  },
})
