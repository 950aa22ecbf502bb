import { area } from '../kit/area.ts'
import { queueDeliveries } from './queue-deliveries.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'

/** Makes deliveries of events for users' webhook endpoints, and sees that they are sent; it sends nothing itself. */
export const webhookQueueArea = area({
  name: 'webhook-queue',
  jobs: [queueDeliveries, sweepDeliveries],
  timeoutSeconds: 60,
})
