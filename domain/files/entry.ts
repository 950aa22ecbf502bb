import * as z from 'zod'
import { timestamp } from '../timestamp.ts'

export const maxEntries = 500

export const entry = z
  .object({
    name: z
      .string()
      .max(1_100)
      .meta({ description: 'Bytes that are not UTF-8 are written `\\xHH`, a backslash as two.' }),
    kind: z.enum(['file', 'folder', 'link', 'other']).meta({ description: 'Only files can be read.' }),
    size: z.int().min(0).meta({ description: 'Bytes; 0 for anything but a file.' }),
    changedAt: timestamp,
  })
  .meta({ id: 'FileEntry' })
export type Entry = z.infer<typeof entry>

/** In the order of their names' bytes; `next` continues after the last one. */
export const entryPage = z.object({ entries: z.array(entry).max(maxEntries), next: z.string().nullable() })
export type EntryPage = z.infer<typeof entryPage>

/** Only regular files are read. */
export const fileSummary = z
  .object({
    files: z.int().min(0),
    bytes: z.int().min(0),
    skipped: z
      .object({ links: z.int(), devices: z.int(), sockets: z.int(), pipes: z.int(), unreadable: z.int() })
      .meta({ description: 'Entries that were skipped.' }),
  })
  .meta({ id: 'FileSummary' })
export type FileSummary = z.infer<typeof fileSummary>
