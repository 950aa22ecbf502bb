import * as z from 'zod'
import { budgetOf } from '../../app/tokens/budget.ts'
import { invalid, notFound } from '../../domain/errors.ts'
import { capFields, checkMayCap, pat, raisesCap, showPat, tokenCap, tokenName } from '../../domain/tokens/pat.ts'
import { checkMayRaise } from '../../domain/wallet/limits.ts'
import { operation } from '../kit/operation.ts'

export const changeToken = operation({
  id: 'changeToken',
  summary: 'Change a token’s name or spending caps',
  description:
    'A cap of a connected app applies to all its tokens at once. A cap of a token also applies to the tokens that ' +
    'it created or will create. Earlier spending still counts, also that of this day and month.',
  http: { method: 'PATCH', path: '/tokens/{id}' },
  auth: 'session',
  recentSignIn: { when: 'a cap is raised or removed' },
  input: z.strictObject({
    id: z.string().max(100),
    name: tokenName.optional(),
    capMicros: tokenCap.nullable().optional().meta({
      description: 'Maximum total spending on model calls, in µUSD; null for no cap. Default: unchanged.',
      example: 5_000_000,
    }),
    dailyCapMicros: tokenCap.nullable().optional().meta({
      description: 'Maximum spending in a UTC day, in µUSD; null for no cap. Default: unchanged.',
      example: 500_000,
    }),
    monthlyCapMicros: tokenCap.nullable().optional().meta({
      description: 'Maximum spending in a calendar month (UTC), in µUSD; null for no cap. Default: unchanged.',
      example: 3_000_000,
    }),
  }),
  output: pat,
  errors: ['not-found'],
  uses: { tokens: 'write' },
  commits: true,
  run: async ({ input, actor, deps, now, outboxFor }) => {
    const token = await deps.tokens.find(input.id)
    if (!token || token.userId !== actor.userId) throw notFound('token')
    const { id, ...to } = input
    if ((['name', ...capFields] as const).every((field) => to[field] === undefined))
      throw invalid('name', 'give it a name, or a cap.')
    checkMayCap(token, to)
    if (raisesCap((await budgetOf(deps, token)).caps, to)) checkMayRaise(actor.signedInAt, now)
    const changed = await deps.tokens.change(token, to, outboxFor(id))
    if (!changed) throw notFound('token')
    return showPat(changed, now)
  },
})
