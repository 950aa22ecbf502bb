import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { restorePoint, showPoint } from '../../domain/files/restore-point.ts'
import { operation } from '../kit/operation.ts'

export const getRestorePoint = operation({
  id: 'getRestorePoint',
  summary: 'Get a restore point',
  http: { method: 'GET', path: '/instance/restore-points/{id}' },
  auth: 'user',
  scope: 'api:instance',
  viewed: 'account',
  input: z.strictObject({ id: z.string() }),
  output: z.object({ restorePoint }),
  errors: ['not-found'],
  uses: { restorePoints: 'read' },
  run: async ({ input, actor, deps }) => {
    const found = await deps.restorePoints.find(actor.userId, input.id)
    if (!found) throw notFound('restore point')
    return { restorePoint: showPoint(found) }
  },
})
