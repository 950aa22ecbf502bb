import { showDayTime } from '../format.ts'
import { locale } from '../texts/index.ts'
import { instanceTexts } from '../texts/instance.ts'

export const kinds = ['daily', 'weekdays', 'weekly', 'monthly', 'hourly', 'once', 'custom'] as const
type Kind = (typeof kinds)[number]

/** The form's fields; each kind uses its own. */
export interface Times {
  kind: Kind
  /** `HH:MM`. */
  time: string
  minute: number
  /** 0 is Sunday. */
  weekday: number
  day: number
  /** As in `datetime-local`, in the browser's own zone. */
  at: string
  cron: string
}

export const noTimes: Times = { kind: 'daily', time: '08:00', minute: 0, weekday: 1, day: 1, at: '', cron: '0 8 * * *' }

const twoDigits = (value: number | string): string => String(value).padStart(2, '0')

/** The schedule in the API's form: a cron expression, or the minute of its single run. */
export function timesInput(times: Times): { cron: string } | { at: string } {
  const [hour = 0, minute = 0] = times.time.split(':').map(Number)
  switch (times.kind) {
    case 'hourly':
      return { cron: `${times.minute} * * * *` }
    case 'daily':
      return { cron: `${minute} ${hour} * * *` }
    case 'weekdays':
      return { cron: `${minute} ${hour} * * 1-5` }
    case 'weekly':
      return { cron: `${minute} ${hour} * * ${times.weekday}` }
    case 'monthly':
      return { cron: `${minute} ${hour} ${times.day} * *` }
    case 'once': {
      const at = new Date(times.at)
      return { at: Number.isNaN(at.getTime()) ? '' : at.toISOString() }
    }
    case 'custom':
      return { cron: times.cron }
  }
}

/** The form's fields of a schedule; a cron line that no preset makes is shown as it is. */
export function readTimes({ cron, at }: { cron: string; at: string | null }): Times {
  const base = { ...noTimes, cron }
  if (at !== null) return { ...base, kind: 'once', at: localMinute(new Date(at)) }
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/)
  const custom: Times = { ...base, kind: 'custom' }
  if (!/^\d+$/.test(minute) || month !== '*') return custom
  if (hour === '*' && day === '*' && weekday === '*') return { ...base, kind: 'hourly', minute: Number(minute) }
  if (!/^\d+$/.test(hour)) return custom
  const at_ = { ...base, time: `${twoDigits(hour)}:${twoDigits(minute)}` }
  if (day === '*' && weekday === '*') return { ...at_, kind: 'daily' }
  if (day === '*' && /^(1-5|mon-fri)$/i.test(weekday)) return { ...at_, kind: 'weekdays' }
  if (day === '*' && /^[0-7]$/.test(weekday)) return { ...at_, kind: 'weekly', weekday: Number(weekday) % 7 }
  if (weekday === '*' && /^\d+$/.test(day)) return { ...at_, kind: 'monthly', day: Number(day) }
  return custom
}

/** The browser's local time in the form of `datetime-local`. */
export const localMinute = (date: Date): string =>
  `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`

/** Sunday first. */
export const weekdayNames = (): string[] => {
  const format = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })
  return Array.from({ length: 7 }, (_, day) => format.format(Date.UTC(2023, 0, day + 1)))
}

const showTime = (time: string): string =>
  new Intl.DateTimeFormat(locale(), { timeStyle: 'short', timeZone: 'UTC' }).format(new Date(`2023-01-01T${time}Z`))

/** The times in words; null for a cron line that has to be shown. */
export function describeTimes(schedule: { cron: string; at: string | null; exact: boolean }): string | null {
  const words = instanceTexts.schedules.words(schedule.exact ? 'at' : 'around')
  const { kind, time, minute, weekday, day } = readTimes(schedule)
  switch (kind) {
    case 'hourly':
      return words.hourly(minute)
    case 'daily':
      return words.daily(showTime(time))
    case 'weekdays':
      return words.weekdays(showTime(time))
    case 'weekly':
      return words.weekly(weekdayNames()[weekday] ?? '', showTime(time))
    case 'monthly':
      return words.monthly(day, showTime(time))
    case 'once':
      return words.once(showDayTime(schedule.at ?? ''))
    case 'custom':
      return null
  }
}
