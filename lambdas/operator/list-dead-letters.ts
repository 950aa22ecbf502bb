import * as z from 'zod'
import { failedDeliveries, overdueFollowUps } from '../../app/operator/dead-letters.ts'
import { deadLetter } from '../../domain/operator/dead-letter.ts'
import { userId } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const listDeadLetters = operation({
  id: 'listDeadLetters',
  summary: 'List overdue and failed work',
  description:
    'Without `user`, lists the overdue follow-ups of all users, at most twenty per shard. With `user`, lists that ' +
    'user’s chat and webhook deliveries that failed in the last week.',
  http: { method: 'GET', path: '/operator/dead-letters' },
  auth: 'operator',
  input: z.strictObject({ user: userId.optional().meta({ description: 'The deliveries’ owner.' }) }),
  output: z.object({ letters: z.array(deadLetter) }),
  uses: { overdueIntents: 'read', deliveryLog: 'read', webhooks: 'read' },
  run: async ({ input: { user }, deps, now }) => ({
    letters: user === undefined ? await overdueFollowUps(deps, now) : await failedDeliveries(deps, user),
  }),
})
