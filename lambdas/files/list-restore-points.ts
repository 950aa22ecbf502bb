import * as z from 'zod'
import { restorePoint, showPoint } from '../../domain/files/point.ts'
import { operation } from '../kit/operation.ts'

export const listRestorePoints = operation({
  id: 'listRestorePoints',
  summary: 'The volume as it was: every restore point, newest first',
  http: { method: 'GET', path: '/instance/restore-points' },
  auth: 'user',
  scope: 'api:instance',
  limit: 'read',
  input: z.strictObject({}),
  output: z.object({ restorePoints: z.array(restorePoint), nextCursor: z.null() }),
  errors: [],
  uses: ['restorePoints'],
  run: async ({ actor, deps }) => {
    const points = await deps.restorePoints.list(actor.userId)
    return { restorePoints: points.map(showPoint), nextCursor: null }
  },
})
