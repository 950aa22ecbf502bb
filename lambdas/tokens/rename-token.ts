import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { pat, showPat, tokenName } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const renameToken = operation({
  id: 'renameToken',
  summary: 'Give a token another name',
  http: { method: 'PATCH', path: '/tokens/{id}' },
  auth: 'session',
  input: z.strictObject({ id: z.string().max(100), name: tokenName }),
  output: pat,
  errors: ['not-found'],
  uses: { tokens: 'write' },
  commits: true,
  run: async ({ input, actor, deps, now, commit }) => {
    const renamed = await commit(input.id, () => deps.tokens.rename(actor.userId, input.id, input.name))
    if (!renamed) throw notFound('token')
    return showPat(renamed, now)
  },
})
