import * as z from 'zod'
import { browsePoint, chooseSource } from '../../app/files/browse.ts'
import { runJob } from '../../app/files/volume-jobs.ts'
import { filePath } from '../../domain/agent/task.ts'
import { conflict } from '../../domain/errors.ts'
import { entryPage, maxEntries } from '../../domain/files/entry.ts'
import { limitOf } from '../../domain/page.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { operation } from '../kit/operation.ts'

export const listFiles = operation({
  id: 'listFiles',
  summary: 'List a folder of the volume',
  description:
    'Shows the current state. The machine answers; for a paused instance a volume worker does, which is started if ' +
    'necessary. Unchanged entries are read from the newest restore point, whose time is `asOf`.',
  http: { method: 'GET', path: '/instance/files' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({
    path: filePath.default('').meta({ description: 'A folder. Default: the top of the volume.' }),
    after: z.string().max(1_100).optional().meta({ description: '`next` of the previous page.' }),
    limit: limitOf(maxEntries, 200),
  }),
  output: entryPage.extend({ path: z.string(), asOf: timestamp.nullable() }),
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', outbox: 'write', instances: 'read', restorePoints: 'read', storage: 'read', tasks: 'write' },
  run: async ({ input: { path, limit, ...input }, actor: { userId }, deps }) => {
    const after = input.after ?? null
    const { instance, point } = await chooseSource(deps, userId)
    if (point) return { path, asOf: point.createdAt, ...(await browsePoint(deps, point, path, after, limit)) }
    const { result } = await runJob(deps, instance, { kind: 'list', path, after, limit })
    if (result.kind !== 'list') throw conflict('The machine answered something else. Try again.')
    return { path, asOf: null, entries: result.entries, next: result.next }
  },
})
