import { area } from '../kit/area.ts'
import { sendDeliveries } from './send-deliveries.ts'

/** Calls addresses of users' choice, as the only function; one user per invocation, so that none waits for another. */
export const webhookSenderArea = area({
  name: 'webhook-sender',
  jobs: [sendDeliveries],
  timeoutSeconds: 60,
  memoryMiB: 256,
})
