import * as z from 'zod'
import { replayToEndpoint } from '../../app/webhooks/replay.ts'
import { showDelivery, webhookDelivery } from '../../domain/webhooks/delivery.ts'
import { operation } from '../kit/operation.ts'

export const replayWebhookDelivery = operation({
  id: 'replayWebhookDelivery',
  summary: 'Retry a delivery',
  description:
    'Sends the same text under the same `webhook-id` to the endpoint’s current address, at once and then for up to ' +
    'a day.',
  http: { method: 'POST', path: '/hooks/endpoints/{id}/deliveries/{delivery}/replay', status: 202 },
  creates: true,
  auth: 'user',
  scope: 'api:hooks',
  input: z.strictObject({
    id: z.string().max(100),
    delivery: z
      .string()
      .max(100)
      .meta({ description: 'Id of the delivery.', example: 'evt_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  }),
  output: z.object({ delivery: webhookDelivery }),
  errors: ['not-found', 'conflict'],
  commits: true,
  uses: { instances: 'read', webhooks: 'write', bus: 'write' },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const named = { endpointId: input.id, deliveryId: input.delivery }
    return { delivery: showDelivery(await replayToEndpoint(deps, userId, named, now, outboxFor)) }
  },
})
