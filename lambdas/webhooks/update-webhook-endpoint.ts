import * as z from 'zod'
import { tellOwner } from '../../app/tokens/tell-owner.ts'
import { notFound } from '../../domain/errors.ts'
import { markOfToken } from '../../domain/tokens/made-by-token.ts'
import {
  changedEndpoint,
  checkScopes,
  checkUrl,
  endpointInput,
  showEndpoint,
  webhookEndpoint,
} from '../../domain/webhooks/endpoint.ts'
import { operation } from '../kit/operation.ts'

export const updateWebhookEndpoint = operation({
  id: 'updateWebhookEndpoint',
  summary: 'Change a webhook endpoint',
  description:
    'Omitted fields stay unchanged. Waiting deliveries go to the new address, except those of types that you no ' +
    'longer want. Enabling an endpoint resets its failures.',
  http: { method: 'PATCH', path: '/hooks/endpoints/{id}' },
  auth: 'user',
  recentSignIn: {
    when: 'the address or the types of events change, or the endpoint is enabled',
    appliesTo: ({ url, events, enabled }) => url !== undefined || events !== undefined || enabled === true,
  },
  scope: 'api:hooks',
  input: z.strictObject({
    id: z.string().max(100),
    name: endpointInput.name.optional(),
    url: endpointInput.url.optional(),
    events: endpointInput.events.optional(),
    enabled: z.boolean().optional().meta({ description: 'Whether it receives events.' }),
  }),
  output: z.object({ endpoint: webhookEndpoint }),
  errors: ['forbidden', 'not-found'],
  commits: true,
  uses: { webhooks: 'write', users: 'read', mail: 'write' },
  run: async ({ input: { id, ...change }, actor, deps, now, outboxFor }) => {
    const endpoint = await deps.webhooks.findEndpoint(actor.userId, id)
    if (!endpoint) throw notFound('webhook endpoint')
    const next = changedEndpoint(endpoint, change)
    checkScopes(actor, next.events)
    if (change.url !== undefined) next.url = checkUrl(change.url, !deps.settings.production)
    const movesTo = next.url === endpoint.url ? null : next.url
    if (movesTo) Object.assign(next, markOfToken(actor, 'endpoint-address', now))
    const followUps = movesTo === null ? [] : await tellOwner(deps, actor, 'endpoint-address', next.name, now)
    const outbox = outboxFor(id, followUps)
    if (!(await deps.webhooks.changeEndpoint(actor.userId, id, next, outbox))) throw notFound('webhook endpoint')
    await outbox.flush()
    return { endpoint: showEndpoint(next) }
  },
})
