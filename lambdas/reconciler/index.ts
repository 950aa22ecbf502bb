import { area } from '../kit/area.ts'
import { onInstanceWanted } from './on-instance-wanted.ts'
import { onScheduleDue } from './on-schedule-due.ts'
import { onTaskStateChange } from './on-task-state-change.ts'
import { sweep } from './sweep.ts'

/**
 * A first start waits until the new role and volume are known. The timeout is shorter than the deadline of a stop, so
 * that a start under way has ended before the stop counts as done.
 */
export const reconcilerArea = area({
  name: 'reconciler',
  jobs: [onInstanceWanted, onScheduleDue, onTaskStateChange, sweep],
  timeoutSeconds: 120,
})
