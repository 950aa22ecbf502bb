import * as z from 'zod'

export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601 UTC.', example: '2026-11-01T12:00:00.000Z' })
