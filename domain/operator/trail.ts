import * as z from 'zod'
import { text } from '../text-schema.ts'

/** The owner of the trail of all operators' actions; no user has this id. */
export const operatorsTrail = 'operators'

/** Why an operator does something. The owner of the account reads it. */
export const reason = text()
  .trim()
  .min(8, 'Say why, in eight characters at least: the owner of the account reads it.')
  .max(300)
  .meta({ description: 'Why. The owner of the account sees it.', example: 'Ticket 4711: charged twice' })

/** The account concerned. */
export const userId = z
  .string()
  .regex(/^usr_\w{1,40}$/, 'Name the user as usr_….')
  .meta({ description: 'The account.', example: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0' })

/** The common fields of every action on a user. */
export const aboutUser = z.strictObject({ user: userId, reason })
