import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { cursor, fromCursor, pageLimit, toCursor } from '../../domain/page.ts'
import { showDelivery, webhookDelivery } from '../../domain/webhooks/delivery.ts'
import { operation } from '../kit/operation.ts'

export const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  summary: 'List a webhook endpoint’s deliveries of the last week, newest first',
  http: { method: 'GET', path: '/hooks/endpoints/{id}/deliveries' },
  auth: 'user',
  scope: 'api:hooks',
  input: z.strictObject({ id: z.string().max(100), cursor, limit: pageLimit }),
  output: z.object({ deliveries: z.array(webhookDelivery), nextCursor: z.string().nullable() }),
  errors: ['not-found'],
  uses: { webhooks: 'read' },
  run: async ({ input: { id, cursor, limit }, actor: { userId }, deps }) => {
    const after = fromCursor(cursor, 'evt')
    const [endpoint, page] = await Promise.all([
      deps.webhooks.findEndpoint(userId, id),
      deps.webhooks.deliveries(userId, id, { after, limit }),
    ])
    if (!endpoint) throw notFound('webhook endpoint')
    return { deliveries: page.items.map(showDelivery), nextCursor: toCursor(page.next) }
  },
})
