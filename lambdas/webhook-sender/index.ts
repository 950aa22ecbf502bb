import { area } from '../kit/area.ts'
import { sendDeliveries } from './send-deliveries.ts'

/**
 * Calls addresses of users' choice, as the only function; one user per invocation, so that none waits for another. Slow
 * addresses hold executions, so the reserve is their limit. The sweep sends deliveries that waited too long.
 */
export const webhookSenderArea = area({
  name: 'webhook-sender',
  jobs: [sendDeliveries],
  timeoutSeconds: 60,
  memoryMiB: 256,
  reservedConcurrency: 50,
})
