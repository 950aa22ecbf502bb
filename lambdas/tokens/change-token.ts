import * as z from 'zod'
import { invalid, notFound } from '../../domain/errors.ts'
import { checkMayCap, pat, showPat, tokenCap, tokenName } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const changeToken = operation({
  id: 'changeToken',
  summary: 'Give a token another name, or another spending cap',
  description: 'A cap of a connected app holds for all its tokens at once. What was spent already stays counted.',
  http: { method: 'PATCH', path: '/tokens/{id}' },
  auth: 'session',
  input: z.strictObject({
    id: z.string().max(100),
    name: tokenName.optional(),
    capMicros: tokenCap.nullable().optional().meta({
      description: 'Most that it may spend on model calls in all, µUSD; null for none. Left out, it stays.',
      example: 5_000_000,
    }),
  }),
  output: pat,
  errors: ['not-found'],
  uses: { tokens: 'write' },
  commits: true,
  run: async ({ input, actor, deps, now, commit }) => {
    const token = await deps.tokens.find(input.id)
    if (!token || token.userId !== actor.userId) throw notFound('token')
    if (input.name === undefined && input.capMicros === undefined) throw invalid('name', 'give it a name, or a cap.')
    if (input.capMicros !== undefined) checkMayCap(token)
    const changed = await commit(input.id, () => deps.tokens.change(token, input))
    if (!changed) throw notFound('token')
    return showPat(changed, now)
  },
})
