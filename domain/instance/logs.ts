import * as z from 'zod'
import { timestamp } from '../timestamp.ts'

/** Lines of one page, and characters of a shown line. */
export const maxLogLines = 500
export const maxLineCharacters = 4_000

export const logLine = z
  .object({
    at: timestamp,
    message: z.string(),
    machine: z.string().meta({ description: 'The machine that wrote it.' }),
  })
  .meta({ id: 'LogLine' })
export type LogLine = z.infer<typeof logLine>

export interface LogQuery {
  sinceMs: number
  limit: number
  /** Null for the first page. */
  cursor: string | null
}

/** Oldest first; `next` is null at the end. */
export interface LogPage {
  lines: LogLine[]
  next: string | null
}
