import * as z from 'zod'
import { auditEntry } from '../../domain/account/audit.ts'
import { cursor, fromCursor, pageLimit, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const listAudit = operation({
  id: 'listAudit',
  summary: 'List the activity in your account, newest first',
  http: { method: 'GET', path: '/account/audit' },
  auth: 'session',
  viewed: 'account',
  input: z.strictObject({ cursor, limit: pageLimit }),
  output: z.object({ entries: z.array(auditEntry), nextCursor: z.string().nullable() }),
  uses: { audit: 'read' },
  run: async ({ input, actor, deps }) => {
    const page = await deps.audit.list(actor.userId, { after: fromCursor(input.cursor, 'aud'), limit: input.limit })
    return { entries: page.items, nextCursor: toCursor(page.next) }
  },
})
