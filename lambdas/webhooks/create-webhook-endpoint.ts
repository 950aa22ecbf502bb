import * as z from 'zod'
import { tellOwner } from '../../app/tokens/tell-owner.ts'
import { noInstance } from '../../domain/errors.ts'
import { secretText } from '../../domain/hooks/hook.ts'
import { iso } from '../../domain/time.ts'
import { markOfToken } from '../../domain/tokens/made-by-token.ts'
import { webhookEvent } from '../../domain/webhooks/delivery.ts'
import {
  checkScopes,
  checkUrl,
  endpointInput,
  endpointLimits,
  newEndpoint,
  noRoomForEndpoint,
  showEndpoint,
  webhookEndpoint,
} from '../../domain/webhooks/endpoint.ts'
import { operation } from '../kit/operation.ts'

export const createWebhookEndpoint = operation({
  id: 'createWebhookEndpoint',
  summary: 'Create a webhook endpoint',
  description:
    'Each event of the chosen types is sent to the endpoint by POST, in the form of the event stream, with a ' +
    'Standard Webhooks signature. A delivery that gets no 2xx is retried for a day under the same `webhook-id`. If ' +
    'a token creates the endpoint, the token also needs the scopes of the events.',
  http: { method: 'POST', path: '/hooks/endpoints', status: 201 },
  creates: true,
  auth: 'user',
  recentSignIn: true,
  scope: 'api:hooks',
  input: z.strictObject(endpointInput),
  output: z.object({ endpoint: webhookEndpoint, secret: secretText }),
  callback: {
    id: 'deliverEvent',
    to: 'url',
    summary: 'An event that is sent to a webhook endpoint',
    description:
      'Signed as Standard Webhooks defines it, in `webhook-id`, `webhook-timestamp` and `webhook-signature`. Any ' +
      '2xx within ten seconds accepts the event. Otherwise it is retried for a day under the same `webhook-id`.',
    body: webhookEvent,
  },
  errors: ['conflict', 'forbidden', 'not-found'],
  commits: true,
  uses: { instances: 'read', webhooks: 'write', hookSecrets: 'read', users: 'read', mail: 'write' },
  run: async ({ input, actor, deps, now, outboxFor }) => {
    checkScopes(actor, input.events)
    const url = checkUrl(input.url, !deps.settings.production)
    const instance = await deps.instances.find(actor.userId)
    if (!instance || instance.desiredState === 'deleted') throw noInstance()
    const id = deps.ids.next('whe')
    const made = { ...newEndpoint(id, { ...input, url }, iso(now)), ...markOfToken(actor, 'endpoint', now) }
    const { plan } = instance
    const { most } = endpointLimits(plan)
    const outbox = outboxFor(made.id, await tellOwner(deps, actor, 'endpoint', made.name, now))
    if (!(await deps.webhooks.addEndpoint(actor.userId, made, most, outbox))) throw noRoomForEndpoint(plan)
    await outbox.flush()
    return { endpoint: showEndpoint(made), secret: await deps.hookSecrets.secretOf(made) }
  },
})
