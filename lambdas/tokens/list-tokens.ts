import * as z from 'zod'
import { listed, mayManage, maySpend, pat, showPat } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const listTokens = operation({
  id: 'listTokens',
  summary: 'List your tokens, without their plaintexts',
  description:
    'A token without `api:tokens.write` sees only itself and the tokens that it created. A connected app is one ' +
    'entry, with `app`.',
  http: { method: 'GET', path: '/tokens' },
  auth: 'user',
  viewed: 'account',
  output: z.object({ tokens: z.array(pat) }),
  uses: { tokens: 'read', wallets: 'read' },
  run: async ({ actor, deps, now }) => {
    const all = await deps.tokens.list(actor.userId)
    const tokens = listed(all).filter((token) => mayManage(actor, token))
    const spent = tokens.some(maySpend) ? await deps.wallets.spentByTokens(actor.userId, now) : {}
    return { tokens: tokens.map((token) => showPat(token, now, spent)) }
  },
})
