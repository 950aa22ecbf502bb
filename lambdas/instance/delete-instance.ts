import * as z from 'zod'
import { changeInstance } from '../../app/instance/change.ts'
import { invalid, noInstance } from '../../domain/errors.ts'
import { showInstance } from '../../domain/instance/explain.ts'
import { changed, transitionStatus } from '../../domain/instance/status.ts'
import { operation } from '../kit/operation.ts'

export const deleteInstance = operation({
  id: 'deleteInstance',
  summary: 'Delete the instance and everything on its volume, forever',
  description:
    'Repeat the instance’s id in `confirm`. While the subscription is active, `resumeInstance` creates a new, empty ' +
    'instance.',
  http: { method: 'DELETE', path: '/instance', status: transitionStatus },
  auth: 'session',
  recentSignIn: true,
  input: z.strictObject({
    confirm: z.string().meta({ description: 'The id of the instance, so that nothing is deleted by mistake.' }),
  }),
  output: changed,
  errors: ['conflict', 'not-found'],
  commits: true,
  uses: { instances: 'write', bus: 'write', events: 'write' },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const record = await deps.instances.find(userId)
    if (!record || record.state === 'deleted') throw noInstance()
    if (input.confirm !== record.id) throw invalid('confirm', 'this is not the id of your instance.')
    const { instance } = await changeInstance(deps, userId, 'delete', 'user', now, outboxFor)
    return { instance: showInstance(instance) }
  },
})
