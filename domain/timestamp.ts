import * as z from 'zod'

/** An instant as the service writes it: ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601 UTC.', example: '2026-11-01T12:00:00.000Z' })
