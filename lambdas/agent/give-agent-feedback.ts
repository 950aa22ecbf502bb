import * as z from 'zod'
import { feedback } from '../../domain/agent/observation.ts'
import { operation } from '../kit/operation.ts'

export const giveAgentFeedback = operation({
  id: 'giveAgentFeedback',
  summary: 'Close a prompt: completed, failed or needs_input',
  description: 'A closed prompt is not handed out again. Closing it again gets the same answer and changes nothing.',
  http: { method: 'POST', path: '/agent/feedback' },
  auth: 'agent',
  limit: 'agent',
  input: feedback,
  output: z.object({ promptId: z.string(), closed: z.literal(true) }),
  errors: ['not-found'],
  uses: { conversations: 'write', events: 'write' },
  run: async ({ input, actor, deps }) => {
    const closed = await deps.conversations.close(actor.userId, input.promptId, input.outcome)
    if (closed) await deps.events.record(actor.userId, 'prompt.closed', { ...input })
    return { promptId: input.promptId, closed: true as const }
  },
})
