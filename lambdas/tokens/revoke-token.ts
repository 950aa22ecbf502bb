import * as z from 'zod'
import { doneByCaller } from '../../app/outbox/outbox.ts'
import { endToken } from '../../app/tokens/leak.ts'
import { forbidden, notFound } from '../../domain/errors.ts'
import { iso } from '../../domain/time.ts'
import { mayManage, pat, showPat } from '../../domain/tokens/pat.ts'
import { operation } from '../kit/operation.ts'

export const revokeToken = operation({
  id: 'revokeToken',
  summary: 'Revoke a token forever',
  description:
    'Ends the token at once, together with the token that it replaced and all tokens that any of them created. A ' +
    'token without `api:tokens.write` can revoke only itself and the tokens that it created.',
  http: { method: 'DELETE', path: '/tokens' },
  auth: 'user',
  input: z.strictObject({ id: z.string().max(100) }),
  output: pat,
  errors: ['not-found', 'forbidden'],
  uses: { tokens: 'write', events: 'write' },
  commits: true,
  run: async ({ input, actor, deps, now, outboxFor }) => {
    const token = await deps.tokens.find(input.id)
    if (!token || token.userId !== actor.userId) throw notFound('token')
    if (!mayManage(actor, token))
      throw forbidden(
        'This token may revoke only itself and the tokens that it created. Use a token with api:tokens.write, or the dashboard.',
      )
    const outbox = outboxFor(token.id, [doneByCaller({ kind: 'revoke', tokenId: token.id })])
    const ended = await endToken(deps, token.id, now, outbox)
    if (ended.some(({ id }) => id === token.id)) await outbox.flush()
    return showPat(
      { ...token, revokedAt: ended.find(({ id }) => id === token.id)?.revokedAt ?? token.revokedAt ?? iso(now) },
      now,
    )
  },
})
