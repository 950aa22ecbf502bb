import * as z from 'zod'
import { operatorsTrail } from '../../domain/operator/trail.ts'
import type { AuditLine } from '../ports/account.ts'

const subject = z.object({ user: z.string().optional(), reason: z.string().optional() })

/** One entry in the operators' own trail; one in the user's, if the action affects a user (it has a reason then). */
export function operatorLines(line: Omit<AuditLine, 'userId'>, about: object): AuditLine[] {
  const { user, reason } = subject.parse(about)
  const why = reason === undefined ? {} : { reason }
  const own = { userId: operatorsTrail, ...line, ...why, ...(user !== undefined && { user }) }
  return user === undefined || reason === undefined ? [own] : [own, { userId: user, ...line, reason }]
}
