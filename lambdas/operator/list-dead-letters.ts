import * as z from 'zod'
import { failedDeliveries, overdueFollowUps } from '../../app/operator/dead-letters.ts'
import { deadLetter } from '../../domain/operator/dead-letter.ts'
import { userId } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const listDeadLetters = operation({
  id: 'listDeadLetters',
  summary: 'List overdue and failed work',
  description:
    'Without `user`, what should have followed from changes of anybody’s and is overdue, twenty of each shard at most. With it, deliveries of that user’s chats and webhook endpoints that failed in the last week.',
  http: { method: 'GET', path: '/operator/dead-letters' },
  auth: 'operator',
  input: z.strictObject({ user: userId.optional().meta({ description: 'The deliveries’ owner.' }) }),
  output: z.object({ letters: z.array(deadLetter) }),
  uses: { overdueIntents: 'read', deliveryLog: 'read', webhooks: 'read' },
  run: async ({ input: { user }, deps, now }) => ({
    letters: user === undefined ? await overdueFollowUps(deps, now) : await failedDeliveries(deps, user),
  }),
})
