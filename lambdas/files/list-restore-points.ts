import * as z from 'zod'
import { restorePoint, showPoint } from '../../domain/files/restore-point.ts'
import { operation } from '../kit/operation.ts'

export const listRestorePoints = operation({
  id: 'listRestorePoints',
  summary: 'List the restore points of the volume, newest first',
  http: { method: 'GET', path: '/instance/restore-points' },
  auth: 'user',
  scope: 'api:instance',
  viewed: 'account',
  output: z.object({ restorePoints: z.array(restorePoint) }),
  uses: { restorePoints: 'read' },
  run: async ({ actor, deps }) => {
    const points = await deps.restorePoints.list(actor.userId)
    return { restorePoints: points.map(showPoint) }
  },
})
