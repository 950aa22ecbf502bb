import * as z from 'zod'
import { text } from '../text-schema.ts'
import { dayMs } from '../time.ts'

/** Activities of one report, and shown activities of one prompt, at most. */
export const maxActivitiesAtOnce = 20
export const maxActivities = 1_000

/** A step on the way to an answer, reported at its beginning and, under the same id, at its end. */
export const activity = z
  .strictObject({
    id: text().min(1).max(64).meta({
      example: 'call_1',
      description: 'The runtime’s own id, the same at the beginning and the end of a step.',
    }),
    tool: text().min(1).max(64).meta({ example: 'edit_file' }),
    state: z.enum(['started', 'finished', 'failed']),
    target: text()
      .max(200)
      .optional()
      .meta({ example: 'workspace/report.md', description: 'Its object: a file, a command, an address.' }),
    durationMs: z.int().min(0).max(dayMs).optional(),
    bytes: z.int().min(0).optional().meta({ description: 'The size of its result.' }),
    child: text()
      .min(1)
      .max(64)
      .optional()
      .meta({ example: 'researcher', description: 'The name of the sub-agent that does it.' }),
  })
  .meta({ id: 'Activity' })
export type Activity = z.infer<typeof activity>
