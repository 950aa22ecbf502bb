import * as z from 'zod'
import { endpointLimits, showEndpoint, webhookEndpoint } from '../../domain/webhooks/endpoint.ts'
import { operation } from '../kit/operation.ts'

export const listWebhookEndpoints = operation({
  id: 'listWebhookEndpoints',
  summary: 'List webhook endpoints',
  http: { method: 'GET', path: '/hooks/endpoints' },
  auth: 'user',
  scope: 'api:hooks',
  output: z.object({
    endpoints: z.array(webhookEndpoint).meta({ description: 'Oldest first.' }),
    deliveriesAnHour: z
      .int()
      .meta({ description: 'The number of deliveries to one endpoint in an hour, on the current plan.' }),
  }),
  uses: { instances: 'read', webhooks: 'read' },
  run: async ({ actor: { userId }, deps }) => {
    const [endpoints, instance] = await Promise.all([deps.webhooks.endpoints(userId), deps.instances.find(userId)])
    return {
      endpoints: endpoints.map(showEndpoint),
      deliveriesAnHour: endpointLimits(instance?.plan ?? 'starter').deliveriesAnHour,
    }
  },
})
