import * as z from 'zod'
import { findClient } from '../../app/oauth/clients.ts'
import { tellOwner } from '../../app/tokens/tell-owner.ts'
import {
  authorizationRequest,
  authorize,
  grantDays,
  readRequest,
  redirectTo,
} from '../../domain/oauth/authorization.ts'
import { scope } from '../../domain/scopes.ts'
import { operation } from '../kit/operation.ts'

export const answerAuthorizationRequest = operation({
  id: 'answerAuthorizationRequest',
  summary: 'OAuth: allow or refuse a program access',
  description:
    'The answer says where the browser goes next: to the program, with a code or with the refusal. The code is ' +
    'valid once, for a minute. Only the dashboard’s own page may send this request.',
  http: { method: 'POST', path: '/oauth/authorization' },
  auth: 'session',
  recentSignIn: { when: 'access is allowed', appliesTo: ({ allow }) => allow },
  input: z.strictObject({
    ...authorizationRequest,
    allow: z.boolean().meta({ description: 'False sends the program a refusal.' }),
    scopes: z
      .array(scope)
      .default([])
      .meta({ description: 'The requested scopes that the user grants.', example: ['mcp:wallet.read'] }),
    expiresInDays: z
      .int()
      .min(1)
      .max(grantDays.most)
      .default(grantDays.default)
      .meta({ description: 'Days until the program has to ask again.' }),
    capMicros: z.int().min(0).optional().meta({ description: 'Maximum total spending, in µUSD.', example: 5_000_000 }),
  }),
  errors: ['conflict'],
  output: z.object({ redirectTo: z.string().meta({ example: 'http://127.0.0.1:33418/callback?code=osa_x' }) }),
  uses: { clients: 'write', clientDocuments: 'read', grants: 'write', tokens: 'read', users: 'read', mail: 'write' },
  commits: true,
  run: async ({ input, actor, deps, now, outboxFor }) => {
    const { publicOrigin } = deps.settings
    const client = await findClient(deps, input.client_id, now)
    const shown = readRequest(client, input, publicOrigin)
    if (!input.allow) return { redirectTo: redirectTo(input, { error: 'access_denied' }, publicOrigin) }
    await deps.tokens.checkFree(actor.userId, now)
    const grantId = deps.tokens.newSecret().id
    const allowed = authorize(shown, input, input, { userId: actor.userId, grantId, nowMs: now })
    const followUps = await tellOwner(deps, actor, 'app', allowed.name, now)
    const outbox = outboxFor(grantId, followUps)
    const code = await deps.grants.issueCode(allowed, now, outbox)
    await outbox.flush()
    await deps.clients.keep(client.id, now)
    return { redirectTo: redirectTo(input, { code }, publicOrigin) }
  },
})
