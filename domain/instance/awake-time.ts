/** The estimate of a schedule's cost, which its owner sees. */
import type { PlanLimits } from '../billing/plans.ts'
import { minuteMs } from '../time.ts'
import { checkIntervalMs, unattendedIdleMs } from './idle.ts'

/** The hours of the longest month. */
export const monthHours = 31 * 24

/** Duration of a machine's start, and of a short turn, ms; assumed. */
const startMs = minuteMs
const turnMs = minuteMs

/**
 * How long a scheduled run keeps a sleeping machine awake: start, turn, the wait after it, question and answer, stop.
 */
export const scheduledAwakeMs = startMs + turnMs + unattendedIdleMs + 2 * checkIntervalMs + minuteMs

export interface ScheduleMonth {
  /** Runs in the longest month. */
  runs: number
  awakeMinutes: number
}

export const scheduleMonth = (runs: number): ScheduleMonth => ({
  runs,
  awakeMinutes: Math.min((runs * scheduledAwakeMs) / minuteMs, monthHours * 60),
})

/** µUSD of an awake hour on spare capacity. `test/lib/reports/worst-month.test.ts` compares it with AWS's prices. */
export const awakeHourMicros: Readonly<Record<PlanLimits['id'], number>> = { trial: 8_145, starter: 8_145, pro: 17_577 }
