/** Dates, numbers and amounts as they stand on screen. */
import { formatMicros } from '../domain/dollars.ts'

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const yearDayTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const dayTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

export const showDay = (at: string): string => day.format(new Date(at))
/** Without the year while it is this one. */
export const showDayTime = (at: string): string => {
  const date = new Date(at)
  return (date.getFullYear() === new Date().getFullYear() ? dayTime : yearDayTime).format(date)
}
export const showClock = (at: string): string => clock.format(new Date(at))
export const showCount = (count: number): string => count.toLocaleString()

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
