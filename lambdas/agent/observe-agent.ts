import { observe } from '../../app/agent/observe.ts'
import { observation, observationBody, observed } from '../../domain/agent/observation.ts'
import { operation } from '../kit/operation.ts'

export const observeAgent = operation({
  id: 'observeAgent',
  summary: 'Report the agent’s reply, progress or heartbeat',
  description: 'A prompt gets one reply: repeating the call returns the first one.',
  http: { method: 'POST', path: '/agent/observe' },
  auth: 'agent',
  limit: 'agent',
  input: observationBody,
  output: observed,
  exampleInput: { kind: 'reply', promptId: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0', text: 'Your wallet has 12.40 USD.' },
  errors: ['not-found'],
  uses: {
    attachments: 'write',
    attachmentFiles: 'write',
    bus: 'write',
    channelLinks: 'read',
    connections: 'write',
    conversations: 'write',
    events: 'write',
    instances: 'write',
    leases: 'write',
    mail: 'write',
    metrics: 'write',
    outbox: 'write',
    outgoingMessages: 'write',
    questions: 'write',
    restorePoints: 'write',
    sockets: 'write',
    storage: 'write',
    tasks: 'write',
    users: 'read',
  },
  run: async ({ input, actor, deps, now }) => {
    const { userId, instanceId, generation } = actor
    const answer = await observe(deps, { userId, instanceId, generation, now }, observation.parse(input))
    return { accepted: true as const, ...answer }
  },
})
