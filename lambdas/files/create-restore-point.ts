import * as z from 'zod'
import { requestRestorePoint } from '../../app/files/restore-points.ts'
import { requireVolume, startVolumeWorker } from '../../app/files/volume-jobs.ts'
import { conflict } from '../../domain/errors.ts'
import { restorePoint, showPoint } from '../../domain/files/restore-point.ts'
import { operation } from '../kit/operation.ts'

export const createRestorePoint = operation({
  id: 'createRestorePoint',
  summary: 'Keep the volume as it is now',
  description:
    'Taken between two turns of the agent; of a paused instance by a volume worker. Follow it with getRestorePoint until it is `ready`.',
  http: { method: 'POST', path: '/instance/restore-points', status: 202 },
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ restorePoint }),
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', instances: 'read', restorePoints: 'write', tasks: 'write' },
  audit: ({ output }) => ({ record: output.restorePoint.id }),
  run: async ({ actor, deps, now }) => {
    const [instance, points] = await Promise.all([
      deps.instances.find(actor.userId),
      deps.restorePoints.list(actor.userId),
    ])
    const served = requireVolume(instance)
    if (points.some(({ state }) => state === 'making'))
      throw conflict('A restore point is being made. Wait until it is ready.')
    const point = await requestRestorePoint(deps, served, 'demand', now)
    await startVolumeWorker(deps, served)
    return { restorePoint: showPoint(point) }
  },
})
