import { area } from '../kit/area.ts'
import { sendDeliveries } from './send-deliveries.ts'

/**
 * The one function that calls addresses of users' choice, with as few rights as that takes. Each of its invocations is for one
 * user, so that nobody waits for another's endpoint.
 */
export const webhookSenderArea = area({
  name: 'webhook-sender',
  jobs: [sendDeliveries],
  timeoutSeconds: 60,
  memoryMiB: 256,
})
