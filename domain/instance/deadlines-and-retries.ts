import { minuteMs, secondMs } from '../time.ts'
import type { State } from './instance.ts'

/**
 * Time until the sweep checks a state again, ms; null is a state of rest. A running machine is checked in case the
 * event of its stop was lost; a volume worker has this time for all its tasks.
 */
export const deadlineOf = {
  provisioning: 5 * minuteMs,
  resuming: 5 * minuteMs,
  'maintenance-starting': 5 * minuteMs,
  pausing: 3 * minuteMs,
  refreshing: 3 * minuteMs,
  'maintenance-stopping': 3 * minuteMs,
  deleting: 3 * minuteMs,
  maintenance: 30 * minuteMs,
  erasing: 15 * minuteMs,
  running: 15 * minuteMs,
  paused: null,
  failed: null,
  deleted: null,
} as const satisfies Record<State, number | null>

/** More crashes in a row leave the machine `failed`. */
export const maxCrashes = 5

/** A machine that ran this long before it died did not die "in a row", ms. */
export const quietMs = 10 * minuteMs

/** Wait before the n-th restart in a row, ms: 0, 2 s, 4 s, 8 s … */
export const backoffMs = (crashes: number): number => (crashes <= 1 ? 0 : Math.min(2 ** (crashes - 1), 60) * secondMs)

/** Wait before the n-th try after a passing failure, ms: 30 s, 1 min, 2 min … 15 min. */
export const retryMs = (failures: number): number =>
  Math.min(30 * secondMs * 2 ** Math.max(failures - 1, 0), 15 * minuteMs)

/** About two hours of tries. Volume workers get fewer, because a user waits for them. */
export const maxFailedStarts = 12

export const maxVolumeWorkerStarts = 4

/** The number of volume workers in a row that may end before their tasks are done. Then the remaining tasks fail. */
export const maxVolumeWorkers = 3
