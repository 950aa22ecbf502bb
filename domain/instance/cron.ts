import { invalid } from '../errors.ts'
import { dayMs, hourMs, minuteMs } from '../time.ts'

/** A cron line as the minutes it names. Sunday is 0. */
export interface Cron {
  minutes: number[]
  hours: number[]
  days: number[]
  months: number[]
  weekdays: number[]
}

const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

const fields = [
  { name: 'minute', first: 0, last: 59, names: [] as string[] },
  { name: 'hour', first: 0, last: 23, names: [] as string[] },
  { name: 'day of month', first: 1, last: 31, names: [] as string[] },
  { name: 'month', first: 1, last: 12, names: monthNames },
  { name: 'day of week', first: 0, last: 7, names: weekdayNames },
] as const

/** Times an hour at most: an agent that is woken more often never sleeps. */
const maxPerHour = 12

/** Reads `minute hour day-of-month month day-of-week`. @throws validation that names the field and what it may hold */
export function parseCron(text: string): Cron {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== 5)
    throw invalid(
      'cron',
      `expected 5 fields (minute hour day month weekday), such as "0 8 * * 1-5"; found ${parts.length}.`,
    )
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = fields.map((field, i) =>
    valuesOf(parts[i] ?? '', field),
  )
  if (minutes.length > maxPerHour) throw invalid('cron', `at most ${maxPerHour} times an hour, as in "*/5 * * * *".`)
  const cron = { minutes, hours, days, months, weekdays: [...new Set(weekdays.map((day) => day % 7))].sort() }
  if (days.length < 31 && cron.weekdays.length < 7)
    throw invalid('cron', 'give days of the month or days of the week, and * for the other.')
  if (!months.some((month) => days.some((day) => day <= longest(month))))
    throw invalid('cron', 'no month it names has such a day.')
  return cron
}

const longest = (month: number): number => (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31)

function valuesOf(text: string, field: (typeof fields)[number]): number[] {
  const { name, first, last, names } = field
  const wrong = (part: string) =>
    invalid('cron', `the ${name} "${part}" is not understood; it holds ${first}–${last}, *, ranges, lists and steps.`)
  const number = (part: string, whole: string): number => {
    const named = names.indexOf(part.toUpperCase())
    const value = named >= 0 ? named + first : /^\d{1,2}$/.test(part) ? Number(part) : Number.NaN
    if (!(value >= first && value <= last)) throw wrong(whole)
    return value
  }
  const all = new Set<number>()
  for (const part of text.split(',')) {
    const [, range = '', , step] = /^([^/]+)(\/(\d{1,2}))?$/.exec(part) ?? []
    const [from = '', to, ...more] = range.split('-')
    if (range === '' || more.length > 0 || step === '0') throw wrong(part)
    const start = from === '*' ? first : number(from, part)
    const end = from === '*' ? last : to !== undefined ? number(to, part) : step ? last : start
    if (end < start || (from === '*' && to !== undefined)) throw wrong(part)
    for (let value = start; value <= end; value += Number(step ?? 1)) all.add(value)
  }
  return [...all].sort((a, b) => a - b)
}

/** The same times as EventBridge Scheduler writes them: six fields, `?` for the day that is not looked at, days by name. */
export function cronExpression(text: string): string {
  const { minutes, hours, days, months, weekdays } = parseCron(text)
  const list = (values: number[], full: number) => (values.length === full ? '*' : values.join(','))
  const byWeekday = weekdays.length < 7
  const weekday = byWeekday ? weekdays.map((day) => weekdayNames[day]).join(',') : '?'
  return `cron(${list(minutes, 60)} ${list(hours, 24)} ${byWeekday ? '?' : list(days, 31)} ${list(months, 12)} ${weekday} *)`
}

/** @throws validation for a name that no time zone has */
export function checkTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw invalid('timeZone', 'unknown; use a name such as Europe/Berlin or UTC.')
  }
}

/** The first time after `nowMs`, ms since 1970; null when it never comes within five years. A clock that skips it skips the day. */
export function nextRun(text: string, timeZone: string, nowMs: number): number | null {
  const cron = parseCron(text)
  const wall = wallClock(timeZone)
  const today = Math.floor(wall(nowMs) / dayMs) * dayMs
  for (let day = today; day < today + 5 * 366 * dayMs; day += dayMs) {
    const date = new Date(day)
    if (!cron.months.includes(date.getUTCMonth() + 1) || !cron.days.includes(date.getUTCDate())) continue
    if (!cron.weekdays.includes(date.getUTCDay())) continue
    for (const hour of cron.hours)
      for (const minute of cron.minutes) {
        const local = day + hour * hourMs + minute * minuteMs
        const at = local - (wall(local) - local)
        const exact = wall(at) === local ? at : local - (wall(at) - at)
        if (wall(exact) === local && exact > nowMs) return exact
      }
  }
  return null
}

/** What the wall clock of a zone shows at an instant, as if it were UTC, ms. */
function wallClock(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
    return Date.UTC(year, month - 1, day, hour, minute, second)
  }
}
