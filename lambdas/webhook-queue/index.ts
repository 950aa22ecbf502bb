import { area } from '../kit/area.ts'
import { notifyUser } from './notify-user.ts'
import { queueDeliveries } from './queue-deliveries.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'

export const webhookQueueArea = area({
  name: 'webhook-queue',
  jobs: [queueDeliveries, notifyUser, sweepDeliveries],
  timeoutSeconds: 60,
})
