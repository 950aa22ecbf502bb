import * as z from 'zod'
import { replayDelivery } from '../../app/channels/manage.ts'
import { deliveryId } from '../../domain/channels/delivery.ts'
import { operation } from '../kit/operation.ts'

export const replayChannelDelivery = operation({
  id: 'replayChannelDelivery',
  summary: 'Retry a failed delivery',
  description: 'The retry starts within a minute. Completed steps are not repeated: no message is answered twice.',
  http: { method: 'POST', path: '/channels/deliveries/{id}/replay', status: 202 },
  auth: 'user',
  scope: 'api:channels',
  input: z.strictObject({ id: deliveryId }),
  output: z.object({ accepted: z.literal(true) }),
  errors: ['not-found', 'conflict'],
  commits: true,
  uses: { inboundDeliveries: 'write', outgoingMessages: 'write' },
  run: async ({ input, actor, deps, now, outboxFor }) => {
    await replayDelivery(deps, actor.userId, input.id, now, outboxFor(input.id))
    return { accepted: true as const }
  },
})
