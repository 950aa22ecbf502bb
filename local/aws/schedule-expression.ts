import { Cron } from 'croner'

/** Reads `cron(…)` of six fields as EventBridge writes it; without `run` the timer never fires. @throws for anything else */
export function readCron(expression: string, timezone = 'UTC', run?: (timer: Cron) => void): Cron {
  const fields = /^cron\((.+)\)$/.exec(expression)?.[1]?.trim().split(/\s+/)
  if (fields?.length !== 6) throw new Error(`The schedule ${expression} is no cron(…) of six fields`)
  // Weekdays count from 1 for Sunday, and `0/15` is a step.
  const options = { timezone, alternativeWeekdays: true, sloppyRanges: true, unref: true }
  return new Cron(`0 ${fields.join(' ')}`, { ...options, paused: run === undefined }, run)
}
