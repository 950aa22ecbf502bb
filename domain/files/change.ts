import * as z from 'zod'
import { timestamp } from '../timestamp.ts'
import { entry } from './entry.ts'

/** One pattern instead of a union: generators of clients cannot write the default of a union. */
export const replaces = z
  .string()
  .regex(/^(nothing|anything|[0-9a-f]{64})$/, 'Send "nothing", "anything" or a SHA-256 in hex.')
  .meta({
    description:
      '`nothing` for a new file. The SHA-256, in hex, of the version that you read, so that a newer version is not ' +
      'lost. `anything` to overwrite any version.',
    example: 'nothing',
  })

const fileVersion = z
  .object({ size: z.int().min(0).meta({ description: 'Bytes.' }), changedAt: timestamp })
  .meta({ id: 'FileVersion' })

export const fileChange = z
  .object({
    path: z.string().meta({ example: 'workspace/tides.md' }),
    change: z.enum(['added', 'changed', 'removed']),
    before: fileVersion.nullable().meta({ id: 'FileVersionBefore', description: 'Null for a file that was added.' }),
    now: fileVersion.nullable().meta({ id: 'FileVersionNow', description: 'Null for a file that was removed.' }),
  })
  .meta({ id: 'FileChange' })
export type FileChange = z.infer<typeof fileChange>

export const comparison = z.object({
  added: z.int().min(0),
  changed: z.int().min(0),
  removed: z.int().min(0),
  changes: z.array(fileChange).max(1_000).meta({ description: 'By path; the first 1,000.' }),
  more: z.boolean().meta({ description: 'Whether there are more changes than listed.' }),
})
export type Comparison = z.infer<typeof comparison>

const foundEntry = entry
  .extend({ path: z.string().meta({ example: 'workspace/notes/tides.md' }) })
  .meta({ id: 'FoundEntry' })

export const foundPage = z.object({
  entries: z.array(foundEntry).max(200),
  next: z
    .string()
    .nullable()
    .meta({ description: 'Continues the search as `after`, even if nothing was found yet; null at the end.' }),
})
export type FoundPage = z.infer<typeof foundPage>
