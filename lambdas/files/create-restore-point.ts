import * as z from 'zod'
import { conflict } from '../../domain/errors.ts'
import { askPoint } from '../../domain/files/ask-point.ts'
import { callKeeper, mustServe } from '../../domain/files/errands.ts'
import { restorePoint, showPoint } from '../../domain/files/point.ts'
import { operation } from '../kit/operation.ts'

export const createRestorePoint = operation({
  id: 'createRestorePoint',
  summary: 'Keep the volume as it is now',
  description:
    'Taken between two turns of the agent; of a paused instance by a keeper. Follow it with getRestorePoint until it is `ready`.',
  http: { method: 'POST', path: '/instance/restore-points', status: 202 },
  auth: 'user',
  scope: 'api:instance',
  limit: 'write',
  input: z.strictObject({}),
  output: z.object({ restorePoint }),
  errors: ['not-found', 'conflict'],
  uses: ['bus', 'instances', 'restorePoints', 'tasks'],
  audit: ({ output }) => ({ record: output.restorePoint.id }),
  run: async ({ actor, deps, now }) => {
    const [instance, points] = await Promise.all([
      deps.instances.find(actor.userId),
      deps.restorePoints.list(actor.userId),
    ])
    const served = mustServe(instance)
    if (points.some(({ state }) => state === 'making'))
      throw conflict('A restore point is being made. Wait until it is ready.')
    const point = await askPoint(deps, served, 'demand', now)
    await callKeeper(deps, served)
    return { restorePoint: showPoint(point) }
  },
})
