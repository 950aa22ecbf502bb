import * as z from 'zod'
import { text } from '../text-schema.ts'

/** Owns the trail of all operators' actions; no user has this id. */
export const operatorsTrail = 'operators'

export const reason = text()
  .trim()
  .min(8, 'Say why, in eight characters at least: the owner of the account reads it.')
  .max(300)
  .meta({ description: 'The reason. The owner of the account sees it.', example: 'Ticket 4711: charged twice' })

export const userId = z
  .string()
  .regex(/^usr_\w{1,40}$/, 'Name the user as usr_….')
  .meta({ description: 'The account.', example: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0' })

export const aboutUser = z.strictObject({ user: userId, reason })
