import { minuteMs, secondMs } from '../time.ts'
import type { State } from './instance.ts'

/**
 * How long a state may last before the sweep checks it again, ms; null is a state of rest. A running machine is
 * checked in case the event that it stopped was lost. A volume worker has half an hour for all it is asked, a volume
 * eraser's successor goes on where its time was up.
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

/** A machine that died this many times in a row is left alone as `failed`. */
export const maxCrashes = 5

/** A machine that ran this long before it died did not die "in a row", ms. */
export const quietMs = 10 * minuteMs

/** Wait before the n-th restart in a row, ms: 0, 2 s, 4 s, 8 s … */
export const backoffMs = (crashes: number): number => (crashes <= 1 ? 0 : Math.min(2 ** (crashes - 1), 60) * secondMs)

/** Wait before the n-th try of a start that failed for a passing reason, ms: 30 s, 1 min, 2 min … 15 min. */
export const retryMs = (failures: number): number =>
  Math.min(30 * secondMs * 2 ** Math.max(failures - 1, 0), 15 * minuteMs)

/** A start that failed this many times in a row is given up: about two hours; a volume worker's, whose user waits, much sooner. */
export const maxFailedStarts = 12

export const maxVolumeWorkerStarts = 4

/** So many volume workers may go before what is asked of them is done; what is left then is given up. */
export const maxVolumeWorkers = 3
