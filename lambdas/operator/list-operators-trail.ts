import * as z from 'zod'
import { auditEntry } from '../../domain/account/audit.ts'
import { operatorsTrail } from '../../domain/operator/trail.ts'
import { cursor, fromCursor, pageLimit, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const listOperatorsTrail = operation({
  id: 'listOperatorsTrail',
  summary: 'List operators’ changes and views, newest first',
  http: { method: 'GET', path: '/operator/trail' },
  auth: 'operator',
  input: z.strictObject({ cursor, limit: pageLimit }),
  output: z.object({ entries: z.array(auditEntry), nextCursor: z.string().nullable() }),
  uses: { audit: 'read' },
  run: async ({ input, deps }) => {
    const page = await deps.audit.list(operatorsTrail, { after: fromCursor(input.cursor, 'aud'), limit: input.limit })
    return { entries: page.items, nextCursor: toCursor(page.next) }
  },
})
