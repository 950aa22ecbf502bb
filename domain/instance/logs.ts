import * as z from 'zod'
import { timestamp } from '../timestamp.ts'

/** Most lines of one page, and the longest line shown, characters. */
export const maxLogLines = 500
export const maxLineCharacters = 4_000

export const logLine = z
  .object({ at: timestamp, message: z.string(), machine: z.string().meta({ description: 'Which machine wrote it.' }) })
  .meta({ id: 'LogLine' })
export type LogLine = z.infer<typeof logLine>

export interface LogQuery {
  sinceMs: number
  limit: number
  /** Where the page before this one ended; null for the first. */
  cursor: string | null
}

/** Oldest first; `next` is null at the end. */
export interface LogPage {
  lines: LogLine[]
  next: string | null
}
