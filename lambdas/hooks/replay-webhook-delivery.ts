import * as z from 'zod'
import { startSending } from '../../app/webhooks/queue.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { replayed, showDelivery, webhookDelivery } from '../../domain/webhooks/delivery.ts'
import { endpointLimits, fullHour, wants } from '../../domain/webhooks/endpoint.ts'
import { operation } from '../kit/operation.ts'

export const replayWebhookDelivery = operation({
  id: 'replayWebhookDelivery',
  summary: 'Send a delivery again',
  description:
    'The same text under the same `webhook-id`, at once and for a day from now, to the endpoint’s present address.',
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
  run: async ({ input, actor: { userId }, deps, now, commit }) => {
    const [endpoint, found, instance] = await Promise.all([
      deps.webhooks.findEndpoint(userId, input.id),
      deps.webhooks.findDelivery(userId, input.id, input.delivery),
      deps.instances.find(userId),
    ])
    if (!endpoint || !found) throw notFound('delivery')
    if (endpoint.disabled !== null) throw conflict('The endpoint is disabled. Enable it first.')
    if (!wants(endpoint, found.type)) throw conflict('The endpoint is not told of this type any more.')
    const { deliveriesAnHour } = endpointLimits(instance?.plan ?? '')
    const again = replayed(found, now)
    const queued = await commit(endpoint.id, () => deps.webhooks.replay(userId, again, deliveriesAnHour, now))
    if (queued.outcome !== 'queued') throw fullHour(deliveriesAnHour, now)
    await startSending(deps, userId, [queued.due])
    return { delivery: showDelivery(again) }
  },
})
