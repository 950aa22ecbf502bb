import { formatMicros } from '../domain/dollars.ts'
import { locale } from './texts/index.ts'

const day = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' })
const yearDayTime = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' })
const dayTime = new Intl.DateTimeFormat(locale(), {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})
const number = new Intl.NumberFormat(locale())
const second = new Intl.DateTimeFormat(locale(), { timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(locale(), { timeStyle: 'short' })

export const showDay = (at: string): string => day.format(new Date(at))
/** Omits the current year. */
export const showDayTime = (at: string): string => {
  const date = new Date(at)
  return (date.getFullYear() === new Date().getFullYear() ? dayTime : yearDayTime).format(date)
}
const weekday = new Intl.DateTimeFormat(locale(), { weekday: 'short', month: 'short', day: 'numeric' })
export const showWeekday = (at: string): string => weekday.format(new Date(at))
const utcDay = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' })

/** A UTC day, such as `2026-11-20`, as that day in every time zone. */
export const showUtcDay = (date: string): string => utcDay.format(new Date(date))
export const showClock = (at: string): string => clock.format(new Date(at))
export const showSecond = (at: string): string => second.format(new Date(at))
export const showCount = (count: number): string => number.format(count)

const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' })
const spans = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const

/** `3s ago`; day and time beyond a week; a time in the future, from a clock that is ahead, is now. */
export function showAgo(at: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(at)) / 1_000))
  if (seconds > 7 * 86_400) return showDayTime(at)
  const { unit, seconds: long } = spans.find((span) => seconds >= span.seconds) ?? { unit: 'second', seconds: 1 }
  return ago.format(-Math.floor(seconds / long), unit)
}

/** Whole dollars without decimals: `$12`, `$12.50`. */
export const showCents = (cents: number): string => `$${cents % 100 === 0 ? cents / 100 : (cents / 100).toFixed(2)}`

export const centMicros = 10_000

/** A balance in whole cents, rounded down: it never shows more than there is. */
export const showBalance = (amountMicros: number): string =>
  formatMicros(amountMicros - (((amountMicros % centMicros) + centMicros) % centMicros))

/** A share of a price that may lie below a micro-dollar: tokens × µUSD per million tokens, in dollars. */
export const showPriceShare = (tokens: number, microsPerMillion: number): string =>
  `$${((tokens * microsPerMillion) / 1e12).toFixed(9).replace(/0{1,7}$/, '')}`

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

export function showSize(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

const shortUnit = (unit: 'second' | 'minute' | 'hour' | 'day') =>
  new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: 0 })
const durations = [
  { format: shortUnit('day'), seconds: 86_400 },
  { format: shortUnit('hour'), seconds: 3_600 },
  { format: shortUnit('minute'), seconds: 60 },
  { format: shortUnit('second'), seconds: 1 },
]

/** The greatest unit and the one below it: `2h 5m`, `40s`. */
export function showDuration(seconds: number): string {
  const whole = Math.max(Math.round(seconds), 0)
  const index = durations.findIndex((unit) => whole >= unit.seconds)
  if (index < 0) return durations[durations.length - 1]?.format.format(0) ?? ''
  const [greater, smaller] = durations.slice(index, index + 2)
  const first = greater ? greater.format.format(Math.floor(whole / greater.seconds)) : ''
  const rest = greater && smaller ? Math.floor((whole % greater.seconds) / smaller.seconds) : 0
  return smaller && rest > 0 ? `${first} ${smaller.format.format(rest)}` : first
}
