import { area } from '../kit/area.ts'
import { notifyUser } from './notify-user.ts'
import { queueDeliveries } from './queue-deliveries.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'

/** Makes notifications of events, and deliveries for users' webhook endpoints and browsers, and sees that they are sent; it sends nothing itself. */
export const webhookQueueArea = area({
  name: 'webhook-queue',
  jobs: [queueDeliveries, notifyUser, sweepDeliveries],
  timeoutSeconds: 60,
})
