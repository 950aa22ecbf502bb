import * as z from 'zod'
import { addPoint, newPoint } from '../../app/files/restore-points.ts'
import { requireVolume, startVolumeWorker } from '../../app/files/volume-jobs.ts'
import { conflict } from '../../domain/errors.ts'
import { restorePoint, showPoint } from '../../domain/files/restore-point.ts'
import { operation } from '../kit/operation.ts'

export const createRestorePoint = operation({
  id: 'createRestorePoint',
  summary: 'Create a restore point of the volume',
  description:
    'The machine takes it between two turns of the agent; for a paused instance a volume worker does. Poll ' +
    '`getRestorePoint` until it is `ready`.',
  http: { method: 'POST', path: '/instance/restore-points', status: 202 },
  creates: true,
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ restorePoint }),
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', instances: 'read', restorePoints: 'write', tasks: 'write' },
  commits: true,
  run: async ({ actor, deps, now, outboxFor }) => {
    const instance = requireVolume(await deps.instances.find(actor.userId))
    const point = newPoint(deps, instance, 'demand', now)
    const outbox = outboxFor(point.id, startVolumeWorker(deps, instance))
    if (!(await addPoint(deps, actor.userId, point, now, outbox)))
      throw conflict('A restore point is being created. Wait until it is ready.')
    await outbox.flush()
    return { restorePoint: showPoint(point) }
  },
})
