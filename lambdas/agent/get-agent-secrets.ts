import * as z from 'zod'
import { usableSecret } from '../../domain/instance/secrets.ts'
import { operation } from '../kit/operation.ts'

export const getAgentSecrets = operation({
  id: 'getAgentSecrets',
  summary: 'Secrets that the supervisor puts into requests of the agent',
  description: 'For the supervisor’s memory alone: its loopback does not forward this address.',
  http: { method: 'GET', path: '/agent/secrets' },
  auth: 'files',
  limit: 'agent',
  output: z.object({ secrets: z.array(usableSecret) }),
  uses: { agentSecrets: 'read' },
  run: async ({ actor, deps }) => ({ secrets: await deps.agentSecrets.values(actor.userId) }),
})
