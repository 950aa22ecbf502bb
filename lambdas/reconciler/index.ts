import { area } from '../kit/area.ts'
import { onInstanceWanted } from './on-instance-wanted.ts'
import { onScheduleDue } from './on-schedule-due.ts'
import { onTaskStateChange } from './on-task-state-change.ts'
import { sweep } from './sweep.ts'

/**
 * Brings machines to where they are wanted. A first start makes a role and a volume and waits until they are known.
 * Its time is shorter than the deadline of a stop: a start still under way then has ended before the stop is believed.
 */
export const reconcilerArea = area({
  name: 'reconciler',
  jobs: [onInstanceWanted, onScheduleDue, onTaskStateChange, sweep],
  timeoutSeconds: 120,
})
