import { Cron, CronPattern } from 'croner'
import { invalid } from '../../domain/errors.ts'
import type { CronFields } from '../../domain/instance/schedules.ts'
import { canonicalTimeZone, timeZoneHint } from '../../domain/instance/time-zones.ts'

/** Most runs an hour, whatever the plan. */
const maxPerHour = 12

/** `5/20` is a step, too. */
const syntax = { mode: '5-part', sloppyRanges: true } as const

/** Numbers, names, lists, ranges and steps. The timer does not know other extensions (`L`, `#`, `@daily`). */
const plain = /^(\d|\b[A-Z]{3}\b|[*,/\s-])*$/i

/** Reads `minute hour day-of-month month day-of-week`. @throws validation that names the problem */
export function parseCron(text: string): CronFields {
  const { minute, hour, day, month, dayOfWeek } = readPattern(text)
  const minutes = namedBy(minute)
  const days = namedBy(day, 1)
  const weekdays = namedBy(dayOfWeek)
  if (minutes.length > maxPerHour) throw invalid('cron', `at most ${maxPerHour} times an hour, as in "*/5 * * * *".`)
  if (days.length < 31 && weekdays.length < 7)
    throw invalid('cron', 'give days of the month or days of the week, and * for the other.')
  if (!new Cron(text, { ...syntax, paused: true }).nextRun())
    throw invalid('cron', 'none of its months has such a day.')
  return { minutes, hours: namedBy(hour), days, months: namedBy(month, 1), weekdays }
}

function readPattern(text: string): CronPattern {
  try {
    if (plain.test(text)) return new CronPattern(text, undefined, syntax)
  } catch {
    // The error is thrown below.
  }
  throw invalid(
    'cron',
    `"${text}" is not understood; expected minute (0–59), hour (0–23), day (1–31), month (1–12) and weekday (0–7, 0 and 7 are Sunday), such as "0 8 * * 1-5". Each is *, a value, or a range, list or step of them.`,
  )
}

const namedBy = (flags: number[], first = 0): number[] => flags.flatMap((flag, i) => (flag ? [i + first] : []))

/** The canonical name of a time zone. @throws validation for a name outside the time zone database */
export function requireTimeZone(given: string): string {
  const name = canonicalTimeZone(given)
  if (name === null) throw invalid('timeZone', timeZoneHint(given))
  return name
}

/** ms since 1970; null when there is none. A time that the clock skips does not run that day. */
export function nextRun(text: string, timezone: string, nowMs: number): number | null {
  const cron = new Cron(text, { ...syntax, timezone, paused: true })
  // The library moves a skipped time to the next hour; the timer does not.
  const runs = cron.nextRuns(2, new Date(nowMs))
  return runs.find((run) => cron.match(run))?.getTime() ?? null
}
