import { area } from '../kit/area.ts'
import { onInstanceWanted } from './on-instance-wanted.ts'
import { onTaskStateChange } from './on-task-state-change.ts'

/**
 * A first start waits until the new role and volume are known. The timeout is shorter than the deadline of a stop, so
 * that a start under way has ended before the stop counts as done. While the reserve is used, Lambda queues further
 * events: it covers the starts of 20 machines a second, which is Fargate's own limit.
 */
export const reconcilerArea = area({
  name: 'reconciler',
  jobs: [onInstanceWanted, onTaskStateChange],
  timeoutSeconds: 120,
  reservedConcurrency: 60,
})
