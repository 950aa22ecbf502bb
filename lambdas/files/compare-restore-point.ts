import * as z from 'zod'
import { ofKind } from '../../app/files/change-volume.ts'
import { findReadyPoint } from '../../app/files/restore-points.ts'
import { requireVolume, runJob } from '../../app/files/volume-jobs.ts'
import { comparison } from '../../domain/files/change.ts'
import { operation } from '../kit/operation.ts'

export const compareRestorePoint = operation({
  id: 'compareRestorePoint',
  summary: 'Compare the volume with a restore point',
  description:
    'Lists files that were added, removed, or have another size or modification time. File contents are not ' +
    'compared. `restoreFiles` with a `path` restores one of them.',
  http: { method: 'GET', path: '/instance/restore-points/{id}/changes' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ id: z.string() }),
  output: comparison,
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', outbox: 'write', instances: 'read', restorePoints: 'read', tasks: 'write' },
  run: async ({ input, actor: { userId }, deps }) => {
    const instance = requireVolume(await deps.instances.find(userId))
    const { id: pointId } = await findReadyPoint(deps, userId, input.id)
    const { result } = await runJob(deps, instance, { kind: 'compare', pointId })
    const { kind: _, ...compared } = ofKind(result, 'compare')
    return compared
  },
})
