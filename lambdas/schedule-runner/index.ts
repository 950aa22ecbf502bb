import { area } from '../kit/area.ts'
import { onScheduleDue } from './on-schedule-due.ts'

/** Lambda queues further events while the reserve is used, so many schedules of one minute leave executions to the API. */
export const scheduleRunnerArea = area({ name: 'schedule-runner', jobs: [onScheduleDue], reservedConcurrency: 20 })
