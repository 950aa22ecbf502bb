import * as z from 'zod'
import { listUsers as list } from '../../app/operator/directory.ts'
import { listedPlans, listedStates, listedUser } from '../../domain/operator/listed-user.ts'
import { cursor, fromCursor, limitOf, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

const input = z.strictObject({
  prefix: z
    .string()
    .trim()
    .toLowerCase()
    .max(254)
    .default('')
    .meta({ description: 'The beginning of the e-mail address. Default: all.', example: 'ada@' }),
  plan: z.enum(listedPlans).optional().meta({ description: 'Only users with this plan.', example: 'starter' }),
  state: z
    .enum(listedStates)
    .optional()
    .meta({
      description:
        '`awake`: the machine runs or starts. `failed`: the machine failed. `suspended`: the wallet is suspended. ' +
        '`closing`: the account is set to be erased.',
      example: 'suspended',
    }),
  cursor,
  limit: limitOf(50, 25),
})

export const listUsers = operation({
  id: 'listUsers',
  summary: 'List users by e-mail address, plan and state',
  description:
    'Ordered by address. The request is recorded in the operators’ audit trail, without the beginning of the address.',
  http: { method: 'GET', path: '/operator/directory' },
  auth: 'operator',
  input,
  output: z.object({
    users: z.array(listedUser),
    nextCursor: z.string().nullable(),
    complete: z
      .boolean()
      .meta({ description: 'False if a state has more users than the list reads, which is about a thousand.' }),
  }),
  uses: { directory: 'read', users: 'read' },
  audit: ({ input }) => ['users', input.plan, input.state, input.prefix && 'by address'].filter(Boolean).join(', '),
  run: async ({ input: { cursor, ...asked }, deps }) => {
    const { next, ...found } = await list(deps, { ...asked, after: fromCursor(cursor, 'usr') })
    return { ...found, nextCursor: toCursor(next) }
  },
})
