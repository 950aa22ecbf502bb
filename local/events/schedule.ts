/** EventBridge schedule expressions. All times are UTC. */
import { readCron } from '../../emulators/aws/schedule-expression.ts'

/** Called once per minute. */
export type Due = (now: Date) => boolean

const minuteMs = 60_000
const unitMinutes: Record<string, number> = { minute: 1, hour: 60, day: 1440 }

/** Parses `rate(5 minutes)` or `cron(0 4 * * ? *)`. @throws for anything else */
export function parseSchedule(expression: string): Due {
  const minuteOf = (now: Date) => Math.floor(now.getTime() / minuteMs)
  const rate = /^rate\(([1-9]\d*) (minute|hour|day)s?\)$/.exec(expression)
  if (rate) {
    const every = Number(rate[1]) * (unitMinutes[rate[2] ?? ''] ?? 1)
    // Counted from 1970, so that a restart does not delay a daily job.
    return (now) => minuteOf(now) % every === 0
  }
  const cron = readCron(expression)
  return (now) => cron.match(new Date(minuteOf(now) * minuteMs))
}
