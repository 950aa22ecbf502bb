import * as z from 'zod'
import { taskId } from '../../domain/agent/observation.ts'
import { notFound } from '../../domain/errors.ts'
import { addressesFor, wantedAddresses } from '../../domain/files/addresses.ts'
import { operation } from '../kit/operation.ts'

export const signAgentFiles = operation({
  id: 'signAgentFiles',
  summary: 'Where a task may put and get its pieces',
  description: 'Each address is good for one object and some minutes. A piece that is stored already gets no address.',
  http: { method: 'POST', path: '/agent/files' },
  auth: 'files',
  limit: 'agent',
  input: wantedAddresses,
  output: z.object({
    put: z.record(z.string(), z.url()).meta({ description: 'Address by name, of what is not there yet.' }),
    get: z.record(z.string(), z.url()).meta({ description: 'Address by name.' }),
  }),
  errors: ['not-found'],
  uses: ['tasks', 'storage'],
  run: async ({ input, actor, deps }) => {
    const task = await deps.tasks.held(actor.userId, taskId.parse(input.taskId), actor.generation)
    if (!task) throw notFound('open task')
    return addressesFor(deps.storage, actor.instanceId, task, input)
  },
})
