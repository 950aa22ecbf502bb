import * as z from 'zod'
import { forbidden, notFound } from '../../domain/errors.ts'
import { revokeToken as revoke } from '../../domain/tokens/leak.ts'
import { mayRevoke } from '../../domain/tokens/mint.ts'
import { pat, showPat } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const revokeToken = operation({
  id: 'revokeToken',
  summary: 'Revoke a token for good',
  description: 'Ends the token at once, the one it took over from, and every token any of them minted.',
  http: { method: 'DELETE', path: '/tokens' },
  auth: 'user',
  limit: 'write',
  input: z.strictObject({ id: z.string().max(100) }),
  output: pat,
  errors: ['not-found', 'forbidden'],
  uses: ['tokens', 'events'],
  audit: ({ input }) => ({ record: input.id }),
  run: async ({ input, actor, deps, now }) => {
    const token = await deps.tokens.find(input.id)
    if (!token || token.userId !== actor.userId) throw notFound('token')
    if (!mayRevoke(actor, token)) throw forbidden('This token may only revoke tokens within its own scopes.')
    const revokedAt = await revoke(deps, token, now)
    return showPat({ ...token, revokedAt }, now)
  },
})
