/** EventBridge schedule expressions, asked once a minute whether they are due. All times are UTC. */

/** Whether something is due in the minute that `now` lies in. */
export type Due = (now: Date) => boolean

const MINUTE_MS = 60_000
const unitMinutes: Record<string, number> = { minute: 1, hour: 60, day: 1440 }

/** Reads `rate(5 minutes)` or `cron(0 4 * * ? *)`. Throws for anything else. */
export function parseSchedule(expression: string): Due {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression)
  if (rate) {
    const every = Number(rate[1]) * (unitMinutes[rate[2] ?? ''] ?? 1)
    // Counted from 1970, so that a restart does not put off what is due once a day.
    if (every > 0) return (now) => Math.floor(now.getTime() / MINUTE_MS) % every === 0
  }
  const cron = /^cron\((.+)\)$/.exec(expression)?.[1]?.trim().split(/\s+/)
  if (cron?.length !== 6) throw new Error(`The schedule ${expression} is neither rate(…) nor cron(… six fields)`)
  const [minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = cron
  const fields = [
    field(minute, 0, 59),
    field(hour, 0, 23),
    field(day, 1, 31),
    field(month, 1, 12, ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']),
    field(weekday, 1, 7, ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']),
    field(year, 1970, 2199),
  ]
  return (now) => {
    const values = [
      now.getUTCMinutes(),
      now.getUTCHours(),
      now.getUTCDate(),
      now.getUTCMonth() + 1,
      now.getUTCDay() + 1,
      now.getUTCFullYear(),
    ]
    return fields.every((allowed, i) => allowed.has(values[i] ?? -1))
  }
}

/** The values a cron field allows: `*`, `?`, `5`, `1-5`, `0/15`, `MON-FRI`, and lists of these. */
function field(text: string, first: number, last: number, names: string[] = []): Set<number> {
  const number = (part: string): number => {
    const named = names.indexOf(part.toUpperCase())
    const value = named >= 0 ? named + first : Number(part)
    if (!Number.isInteger(value) || value < first || value > last) throw new Error(`A schedule has the field ${text}`)
    return value
  }
  const allowed = new Set<number>()
  for (const part of text.split(',')) {
    const [range = '', step] = part.split('/')
    const [from = '', to] = range.split('-')
    const all = from === '*' || from === '?'
    const start = all ? first : number(from)
    const end = to !== undefined ? number(to) : all || step !== undefined ? last : start
    const by = step === undefined ? 1 : Number(step)
    if (!Number.isInteger(by) || by < 1) throw new Error(`A schedule has the field ${text}`)
    for (let value = start; value <= end; value += by) allowed.add(value)
  }
  return allowed
}
