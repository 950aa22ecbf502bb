import * as z from 'zod'
import { timestamp } from '../timestamp.ts'
import { fileChange } from './change.ts'

export const turnChanges = z.object({
  promptIds: z
    .array(z.string().meta({ example: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }))
    .meta({ description: 'Work on several prompts overlapped, so their changes cannot be separated.' }),
  endedAt: timestamp,
  changes: z
    .array(
      fileChange
        .extend({
          state: z.enum(['kept', 'not-kept', 'changed-since', 'undone']).meta({
            description:
              '`kept` can be undone. `not-kept` was too large to keep. `changed-since` prevents the undo. `undone` ' +
              'was undone.',
          }),
        })
        .meta({ id: 'TurnChange' }),
    )
    .max(1_000)
    .meta({ description: 'By path.' }),
  more: z.boolean().meta({ description: 'Whether there are more changes than listed.' }),
  problem: z.string().nullable().meta({
    description: 'The reason why the changes cannot be undone; null if they can.',
    example: 'It changed more than 1000 files.',
  }),
})
export type TurnChanges = z.infer<typeof turnChanges>
