import * as z from 'zod'
import { usableSecret } from '../../domain/instance/secrets.ts'
import { operation } from '../kit/operation.ts'

export const getAgentSecrets = operation({
  id: 'getAgentSecrets',
  summary: 'Get the secrets that the supervisor puts into the agent’s requests',
  description: 'Only for the supervisor’s memory: the loopback does not forward this address.',
  http: { method: 'GET', path: '/agent/secrets' },
  auth: 'files',
  limit: 'agent',
  output: z.object({ secrets: z.array(usableSecret) }),
  uses: { agentSecrets: 'read' },
  run: async ({ actor, deps }) => ({ secrets: await deps.agentSecrets.values(actor.userId) }),
})
