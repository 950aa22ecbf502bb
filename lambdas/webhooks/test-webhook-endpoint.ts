import * as z from 'zod'
import { startSending } from '../../app/webhooks/queue.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { iso } from '../../domain/time.ts'
import { newDelivery, showDelivery, webhookDelivery } from '../../domain/webhooks/delivery.ts'
import { endpointLimits, fullOf, testType } from '../../domain/webhooks/endpoint.ts'
import { operation } from '../kit/operation.ts'

export const testWebhookEndpoint = operation({
  id: 'testWebhookEndpoint',
  summary: 'Send a test to a webhook endpoint',
  description:
    'Sends an event of the type `webhook.test`, which is treated like any other event. Its delivery appears in the ' +
    'list.',
  http: { method: 'POST', path: '/hooks/endpoints/{id}/test', status: 202 },
  creates: true,
  auth: 'user',
  scope: 'api:hooks',
  input: z.strictObject({ id: z.string().max(100) }),
  output: z.object({ delivery: webhookDelivery }),
  errors: ['not-found', 'conflict'],
  commits: true,
  uses: { instances: 'read', webhooks: 'write', bus: 'write' },
  run: async ({ input: { id }, actor: { userId }, deps, now, outboxFor }) => {
    const [endpoint, instance] = await Promise.all([
      deps.webhooks.findEndpoint(userId, id),
      deps.instances.find(userId),
    ])
    if (!endpoint) throw notFound('webhook endpoint')
    if (endpoint.disabled !== null) throw conflict('The endpoint is disabled. Enable it first.')
    const limits = endpointLimits(instance?.plan ?? '')
    const delivery = newDelivery(id, { id: deps.ids.next('evt'), type: testType, at: iso(now), data: {} }, now)
    const queued = await deps.webhooks.queue(userId, delivery, limits, now, outboxFor(id))
    if (queued.outcome !== 'queued') throw fullOf(queued.outcome === 'too-many-today' ? 'day' : 'hour', limits, now)
    await startSending(deps, userId, [queued.due])
    return { delivery: showDelivery(delivery) }
  },
})
