import * as z from 'zod'
import { mayManage, pat, showPat } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const listTokens = operation({
  id: 'listTokens',
  summary: 'Your tokens, without their plaintexts',
  description: 'A token without `api:tokens.write` sees itself and the tokens it minted.',
  http: { method: 'GET', path: '/tokens' },
  auth: 'user',
  output: z.object({ tokens: z.array(pat) }),
  uses: { tokens: 'read' },
  run: async ({ actor, deps, now }) => ({
    tokens: (await deps.tokens.list(actor.userId))
      .filter((token) => mayManage(actor, token))
      .map((token) => showPat(token, now)),
  }),
})
