import * as z from 'zod'
import { tellOwner } from '../../app/tokens/tell-owner.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { secretText } from '../../domain/hooks/hook.ts'
import { iso } from '../../domain/time.ts'
import { markOfToken } from '../../domain/tokens/made-by-token.ts'
import { oldSecretMs, showEndpoint, webhookEndpoint } from '../../domain/webhooks/endpoint.ts'
import { operation } from '../kit/operation.ts'

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  summary: 'Replace the secret of a webhook endpoint',
  description:
    'For 24 hours, deliveries also carry a signature with the old secret, so that your receiver never has to refuse ' +
    'one.',
  http: { method: 'POST', path: '/hooks/endpoints/{id}/rotate', status: 201 },
  creates: true,
  auth: 'user',
  recentSignIn: true,
  scope: 'api:hooks',
  input: z.strictObject({ id: z.string().max(100) }),
  output: z.object({ endpoint: webhookEndpoint, secret: secretText }),
  errors: ['not-found', 'conflict'],
  commits: true,
  uses: { webhooks: 'write', hookSecrets: 'read', users: 'read', mail: 'write' },
  run: async ({ input: { id }, actor, deps, now, outboxFor }) => {
    const { userId } = actor
    const old = await deps.webhooks.findEndpoint(userId, id)
    if (!old) throw notFound('webhook endpoint')
    const oldSecretUntil = iso(now + oldSecretMs)
    const marked = { ...old, ...markOfToken(actor, 'endpoint-secret', now) }
    const outbox = outboxFor(id, await tellOwner(deps, actor, 'endpoint-secret', old.name, now))
    if (!(await deps.webhooks.rotateSecret(userId, marked, oldSecretUntil, outbox)))
      throw conflict('Somebody else replaced the secret at the same moment. Replace it again.')
    await outbox.flush()
    const next = { ...old, secretVersion: old.secretVersion + 1, oldSecretUntil }
    return { endpoint: showEndpoint(next), secret: await deps.hookSecrets.secretOf(next) }
  },
})
