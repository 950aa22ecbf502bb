import * as z from 'zod'

/** An instant as the service writes it: ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601 UTC.', example: '2026-11-01T12:00:00.000Z' })

export const iso = (ms: number): string => new Date(ms).toISOString()

/** The UTC day of an instant, such as `2026-11-20`. */
export const dateOf = (ms: number): string => iso(ms).slice(0, 10)

export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
