import * as z from 'zod'
import { volumePath } from '../../domain/agent/task.ts'
import { conflict } from '../../domain/errors.ts'
import { browsePoint } from '../../domain/files/browse.ts'
import { entryPage, maxEntries } from '../../domain/files/entry.ts'
import { answered } from '../../domain/files/errands.ts'
import { whereToRead } from '../../domain/files/where.ts'
import { timestamp } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const listFiles = operation({
  id: 'listFiles',
  summary: 'One folder of the volume',
  description:
    'As it is now: the machine says, or for a paused instance a keeper, which is started when there is none. What has not ' +
    'changed since the newest restore point is read from there, and `asOf` says when that was.',
  http: { method: 'GET', path: '/instance/files' },
  auth: 'user',
  scope: 'api:instance',
  limit: 'read',
  input: z.strictObject({
    path: volumePath.default('').meta({ description: 'A folder; the volume’s top when left out.' }),
    after: z.string().max(1_100).optional().meta({ description: '`next` of the page before.' }),
    limit: z.coerce.number().int().min(1).max(maxEntries).default(200),
  }),
  output: entryPage.extend({ path: z.string(), asOf: timestamp.nullable() }),
  errors: ['not-found', 'conflict'],
  uses: ['bus', 'instances', 'restorePoints', 'storage', 'tasks'],
  run: async ({ input: { path, limit, ...input }, actor: { userId }, deps }) => {
    const after = input.after ?? null
    const { instance, point } = await whereToRead(deps, userId)
    if (point) return { path, asOf: point.createdAt, ...(await browsePoint(deps, point, path, after, limit)) }
    const { result } = await answered(deps, instance, { kind: 'list', path, after, limit })
    if (result.kind !== 'list') throw conflict('The machine answered something else. Try again.')
    return { path, asOf: null, entries: result.entries, next: result.next }
  },
})
