import * as z from 'zod'
import { maxWaitSeconds, pollMs } from '../../domain/agent/observation.ts'
import { prompt } from '../../domain/chat/message.ts'
import { secondMs } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const getAgentPrompt = operation({
  id: 'getAgentPrompt',
  summary: 'Take the oldest open prompt, waiting for one if asked',
  description: 'A prompt is leased, and handed out again when it is not closed within `leaseExpiresAt`.',
  http: { method: 'GET', path: '/agent/prompt' },
  auth: 'agent',
  limit: 'agent',
  input: z.strictObject({
    wait: z.coerce.number().int().min(0).max(maxWaitSeconds).default(0).meta({ description: 'Seconds.' }),
  }),
  output: z.object({ prompt: prompt.nullable() }),
  errors: [],
  uses: ['conversations'],
  run: async ({ input, actor, deps, now }) => {
    const untilMs = now + input.wait * secondMs
    for (;;) {
      const nowMs = deps.clock.now()
      const leased = await deps.conversations.lease(actor.userId, actor.generation, nowMs)
      if (leased || nowMs + pollMs > untilMs) return { prompt: leased }
      await deps.clock.sleep(pollMs)
    }
  },
})
