import * as z from 'zod'
import { browsePoint } from '../../app/files/browse.ts'
import { findReadyPoint } from '../../app/files/restore-points.ts'
import { filePath } from '../../domain/agent/task.ts'
import { entryPage, maxEntries } from '../../domain/files/entry.ts'
import { limitOf } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const listRestorePointFiles = operation({
  id: 'listRestorePointFiles',
  summary: 'List a folder of a restore point',
  http: { method: 'GET', path: '/instance/restore-points/{id}/files' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({
    id: z.string(),
    path: filePath.default('').meta({ description: 'A folder. Default: the top of the volume.' }),
    after: z.string().max(1_100).optional().meta({ description: '`next` of the previous page.' }),
    limit: limitOf(maxEntries, 200),
  }),
  output: entryPage.extend({ path: z.string() }),
  errors: ['not-found', 'conflict'],
  uses: { restorePoints: 'read', storage: 'read' },
  run: async ({ input: { id, path, after, limit }, actor, deps }) => {
    const point = await findReadyPoint(deps, actor.userId, id)
    return { path, ...(await browsePoint(deps, point, path, after ?? null, limit)) }
  },
})
