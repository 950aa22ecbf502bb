import * as z from 'zod'
import { operation } from '../kit/operation.ts'

export const getOperator = operation({
  id: 'getOperator',
  summary: 'Which operator is signed in, and what they may move',
  http: { method: 'GET', path: '/operator' },
  auth: 'operator',
  output: z.object({
    email: z.string().meta({ example: 'operator@example.com' }),
    maxCents: z.int().meta({ description: 'The most that one act moves, US cents.', example: 10_000 }),
    maxDayCents: z
      .int()
      .meta({ description: 'The most that all acts of one operator move in a day (UTC), US cents.', example: 50_000 }),
    movedCents: z.int().meta({ description: 'How much of that is moved today, US cents.', example: 1_500 }),
    imageVersion: z.string().meta({ description: 'The image that machines are given.', example: '1.0.0' }),
  }),
  uses: { operators: 'read', operatorTotals: 'read' },
  run: async ({ actor, deps, now }) => ({
    email: actor.email,
    maxCents: deps.operators.maxCents(),
    maxDayCents: deps.operators.maxDayCents(),
    movedCents: await deps.operatorTotals.movedCents(actor.userId, now),
    imageVersion: deps.settings.imageVersion,
  }),
})
