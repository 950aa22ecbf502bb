import * as z from 'zod'
import { minuteMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { userId } from './trail.ts'

/** Follow-ups run within a minute or in the next sweep; later they are overdue, ms. */
export const overdueMs = 3 * minuteMs

export const deadLetter = z
  .object({
    kind: z.enum(['follow-up', 'chat', 'webhook']),
    user: userId,
    id: z.string().meta({ example: 'int_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    endpoint: z
      .string()
      .nullable()
      .meta({ description: 'The id of a webhook’s delivery.', example: 'whe_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    what: z.string().meta({ description: 'Which kind of work, never its content.', example: 'mail' }),
    why: z.string().nullable().meta({ description: 'The reason for the failure, if known.', example: 'chat gone' }),
    at: timestamp,
    nextTryAt: timestamp.nullable().meta({ description: 'Null after the last attempt.' }),
  })
  .meta({ id: 'DeadLetter' })
export type DeadLetter = z.infer<typeof deadLetter>
