import { area } from '../kit/area.ts'
import { sendDeliveries } from './send-deliveries.ts'

/**
 * The only function that calls addresses of users' choice, with minimal permissions. Each invocation serves one user,
 * so that nobody waits for another user's endpoint.
 */
export const webhookSenderArea = area({
  name: 'webhook-sender',
  jobs: [sendDeliveries],
  timeoutSeconds: 60,
  memoryMiB: 256,
})
