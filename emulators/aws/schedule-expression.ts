import { Cron } from 'croner'

/**
 * Reads `cron(…)` of six fields as EventBridge writes it, or `at(…)` for a time that comes once; without `run` the timer never fires.
 * @throws for anything else
 */
export function readCron(expression: string, timezone = 'UTC', run?: (timer: Cron) => void): Cron {
  const once = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/.exec(expression)?.[1]
  if (once) return new Cron(once, { timezone, unref: true, paused: run === undefined }, run)
  const fields = /^cron\((.+)\)$/.exec(expression)?.[1]?.trim().split(/\s+/)
  if (fields?.length !== 6) throw new Error(`The schedule ${expression} is no cron(…) of six fields`)
  // Weekdays count from 1 for Sunday, and `0/15` is a step.
  const options = { timezone, alternativeWeekdays: true, sloppyRanges: true, unref: true }
  return new Cron(`0 ${fields.join(' ')}`, { ...options, paused: run === undefined }, run)
}
