import * as z from 'zod'
import { instanceSecret } from '../../domain/instance/secrets.ts'
import { operation } from '../kit/operation.ts'

export const getInstanceSecrets = operation({
  id: 'getInstanceSecrets',
  summary: 'Secrets that the agent uses and cannot read: names, and where each may go',
  description: 'Values are never given back: to change one, write it again.',
  http: { method: 'GET', path: '/instance/secrets' },
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ secrets: z.array(instanceSecret) }),
  uses: { agentSecrets: 'read' },
  run: async ({ actor, deps }) => ({ secrets: (await deps.agentSecrets.find(actor.userId)).secrets }),
})
