import * as z from 'zod'
import { forbidden, notFound } from '../../domain/errors.ts'
import { iso } from '../../domain/time.ts'
import { mayRevoke } from '../../domain/tokens/mint.ts'
import { pat, showPat } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const revokeToken = operation({
  id: 'revokeToken',
  summary: 'Revoke a token for good',
  http: { method: 'DELETE', path: '/tokens' },
  auth: 'user',
  limit: 'write',
  input: z.strictObject({ id: z.string().max(100) }),
  output: pat,
  errors: ['not-found', 'forbidden'],
  uses: ['tokens', 'events'],
  run: async ({ input, actor, deps, now }) => {
    const token = await deps.tokens.find(input.id)
    if (!token || token.userId !== actor.userId) throw notFound('token')
    if (!mayRevoke(actor, token)) throw forbidden('This token may only revoke tokens within its own scopes.')
    const revokedAt = token.revokedAt ?? iso(now)
    await deps.tokens.revoke(token.id, revokedAt)
    await deps.events.record(actor.userId, 'token.revoked', { id: token.id, name: token.name })
    return showPat({ ...token, revokedAt }, now)
  },
})
