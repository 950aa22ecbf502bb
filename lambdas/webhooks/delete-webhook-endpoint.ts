import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { showEndpoint, webhookEndpoint } from '../../domain/webhooks/endpoint.ts'
import { operation } from '../kit/operation.ts'

export const deleteWebhookEndpoint = operation({
  id: 'deleteWebhookEndpoint',
  summary: 'Delete a webhook endpoint',
  description: 'Nothing more is sent to it, and waiting retries are dropped.',
  http: { method: 'DELETE', path: '/hooks/endpoints/{id}' },
  auth: 'user',
  scope: 'api:hooks',
  input: z.strictObject({ id: z.string().max(100) }),
  output: z.object({ endpoint: webhookEndpoint }),
  errors: ['not-found'],
  commits: true,
  uses: { webhooks: 'write' },
  run: async ({ input: { id }, actor: { userId }, deps, outboxFor }) => {
    const endpoint = await deps.webhooks.findEndpoint(userId, id)
    if (!endpoint) throw notFound('webhook endpoint')
    await deps.webhooks.removeEndpoint(userId, id, outboxFor(id))
    return { endpoint: showEndpoint(endpoint) }
  },
})
