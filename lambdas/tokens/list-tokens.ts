import * as z from 'zod'
import { pat, showPat } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const listTokens = operation({
  id: 'listTokens',
  summary: 'Your tokens, without their plaintexts',
  http: { method: 'GET', path: '/tokens' },
  auth: 'user',
  limit: 'read',
  input: z.strictObject({}),
  output: z.object({ tokens: z.array(pat), nextCursor: z.string().nullable() }),
  errors: [],
  uses: ['tokens'],
  run: async ({ actor, deps, now }) => ({
    tokens: (await deps.tokens.list(actor.userId)).map((one) => showPat(one, now)),
    nextCursor: null,
  }),
})
