import * as z from 'zod'
import { replayDeadLetter as replay } from '../../app/operator/dead-letters.ts'
import { deadLetter } from '../../domain/operator/dead-letter.ts'
import { aboutUser } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

const { kind, id, endpoint } = deadLetter.shape

export const replayDeadLetter = operation({
  id: 'replayDeadLetter',
  summary: 'Retry overdue or failed work',
  description: 'The retry starts within a minute. Completed steps are not repeated.',
  http: { method: 'POST', path: '/operator/users/{user}/dead-letters', status: 202 },
  auth: 'operator',
  commits: true,
  input: aboutUser.extend({ kind, letter: id.max(700), endpoint: endpoint.unwrap().max(100).optional() }),
  output: z.object({ accepted: z.literal(true) }),
  errors: ['not-found', 'conflict'],
  uses: {
    overdueIntents: 'write',
    inboundDeliveries: 'write',
    outgoingMessages: 'write',
    webhooks: 'write',
    instances: 'read',
    bus: 'write',
  },
  run: async ({ input: { letter, ...named }, deps, now, outboxFor }) => {
    await replay(deps, { ...named, id: letter }, now, outboxFor)
    return { accepted: true as const }
  },
})
