import * as z from 'zod'
import { variable } from '../../domain/instance/variables.ts'
import { operation } from '../kit/operation.ts'

export const getInstanceEnv = operation({
  id: 'getInstanceEnv',
  summary: 'List the names of your environment variables',
  description: 'Values are never returned. To change a value, set it again.',
  http: { method: 'GET', path: '/instance/env' },
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ variables: z.array(variable) }),
  uses: { variables: 'read' },
  run: async ({ actor, deps }) => ({ variables: (await deps.variables.find(actor.userId)).variables }),
})
