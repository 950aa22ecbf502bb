import * as z from 'zod'
import { operation } from '../kit/operation.ts'

export const getOperator = operation({
  id: 'getOperator',
  summary: 'Get the signed-in operator and their remaining limits',
  http: { method: 'GET', path: '/operator' },
  auth: 'operator',
  output: z.object({
    email: z.string().meta({ example: 'operator@example.com' }),
    maxCents: z.int().meta({ description: 'The maximum amount of one action, in US cents.', example: 10_000 }),
    maxDayCents: z
      .int()
      .meta({ description: 'The maximum total of one operator’s actions in a UTC day, in US cents.', example: 50_000 }),
    movedCents: z.int().meta({ description: 'Today’s total so far, in US cents.', example: 1_500 }),
    imageVersion: z.string().meta({ description: 'The image of new machines.', example: '1.0.0' }),
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
