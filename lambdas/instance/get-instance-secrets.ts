import * as z from 'zod'
import { instanceSecret } from '../../domain/instance/secrets.ts'
import { operation } from '../kit/operation.ts'

export const getInstanceSecrets = operation({
  id: 'getInstanceSecrets',
  summary: 'List the secrets that the agent can use but not read',
  description:
    'Returns each secret’s name and the hosts that it may be sent to. Values are never returned. To change a value, ' +
    'set it again.',
  http: { method: 'GET', path: '/instance/secrets' },
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ secrets: z.array(instanceSecret) }),
  uses: { agentSecrets: 'read' },
  run: async ({ actor, deps }) => ({ secrets: (await deps.agentSecrets.find(actor.userId)).secrets }),
})
