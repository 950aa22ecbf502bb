import { retryMs } from '../../domain/instance/deadlines-and-retries.ts'
import { minuteMs, secondMs } from '../../domain/time.ts'
import { invocationMs } from './counts.ts'

/** How schedules of one minute reach their machines. */
interface MorningDesign {
  /** Minutes over which the scheduler spreads them. */
  windowMinutes: number
  /** Executions for running schedules and for starting machines; Infinity takes what the API leaves. */
  runners: number
  starters: number
}

interface Morning {
  /** Most executions that the work took from those that the API shares. */
  taken: number
  /** Minutes from the scheduled minute until the last machine is started. */
  minutes: number
}

/** Duration of a machine's start in its function, ms; assumed, since no cloud has been measured. */
const startMs = 3_000

/** Fargate's starts of tasks a second, and the number of starts that it accepts at once. */
const startsPerSecond = 20
const burst = 100

/**
 * Second by second: schedules come, wait for an execution that runs them, then for one that starts their machine. A
 * start beyond Fargate's rate fails, and the life cycle repeats it after its own waits.
 * @param free executions that are not reserved
 */
export function simulateMorning(schedules: number, design: MorningDesign, free: number): Morning {
  const { windowMinutes, runners, starters } = design
  const windowSeconds = Math.max(windowMinutes * 60, 1)
  let [due, waiting, started, taken, tokens, second] = [0, 0, 0, 0, burst, 0]
  /** Failed starts by the second of their retry: how many have failed how often. */
  const retries = new Map<number, Map<number, number>>()
  /** Starts that wait, by the number of failures before. */
  const queue = new Map<number, number>()
  for (; started < schedules; second++) {
    const come = (until: number) => Math.floor((schedules * Math.min(until, windowSeconds)) / windowSeconds)
    due += come(second + 1) - come(second)
    for (const [failures, count] of retries.get(second) ?? []) queue.set(failures, (queue.get(failures) ?? 0) + count)
    waiting = [...queue.values()].reduce((sum, count) => sum + count, 0)
    const shared = (Number.isFinite(runners) ? 0 : 1) + (Number.isFinite(starters) ? 0 : 1)
    const startSlots = Math.min(starters, free)
    const starting = Math.min(waiting, Math.floor((startSlots * secondMs) / startMs))
    const busyStarters = Math.min(waiting, startSlots)
    const runSlots = Math.min(runners, shared === 2 ? free - busyStarters : free)
    const ran = Math.min(due, Math.floor((runSlots * secondMs) / invocationMs))
    const busyRunners = Math.min(due, runSlots)
    taken = Math.max(
      taken,
      (Number.isFinite(starters) ? 0 : busyStarters) + (Number.isFinite(runners) ? 0 : busyRunners),
    )
    tokens = Math.min(burst, tokens + startsPerSecond)
    let left = starting
    for (const [failures, count] of [...queue].sort(([a], [b]) => a - b)) {
      const tried = Math.min(count, left)
      const accepted = Math.min(tried, tokens)
      left -= tried
      tokens -= accepted
      started += accepted
      queue.set(failures, count - tried)
      // The simulation retries forever. A real life cycle gives up, and starts again at the user's next message.
      if (tried > accepted) {
        const at = second + retryMs(failures + 1) / secondMs
        const then = retries.get(at) ?? new Map<number, number>()
        then.set(failures + 1, (then.get(failures + 1) ?? 0) + tried - accepted)
        retries.set(at, then)
      }
    }
    retries.delete(second)
    due -= ran
    queue.set(0, (queue.get(0) ?? 0) + ran)
  }
  return { taken, minutes: Math.ceil((second * secondMs) / minuteMs) }
}
