import * as z from 'zod'
import { volumePath } from '../../domain/agent/task.ts'
import { openInPoint } from '../../domain/files/browse.ts'
import { downloadHeaders, fromBase64, streamOf } from '../../domain/files/download.ts'
import { answered } from '../../domain/files/errands.ts'
import { handoverKey } from '../../domain/files/keys.ts'
import { whereToRead } from '../../domain/files/where.ts'
import { operation, type Streamed } from '../kit/operation.ts'
import { whileAllowed } from '../kit/sse.ts'

export const getFile = operation({
  id: 'getFile',
  summary: 'A file of the volume, or of a restore point',
  description:
    'Answers the bytes as an attachment, or for a large file a redirect to where it can be fetched for some minutes. ' +
    'Only regular files are read: no links, devices, sockets or pipes.',
  http: { method: 'GET', path: '/instance/files/{path+}', stream: true },
  auth: 'user',
  scope: 'api:instance',
  limit: 'read',
  input: z.strictObject({
    path: volumePath.min(1),
    point: z.string().optional().meta({ description: 'A restore point to read from instead of the machine.' }),
  }),
  output: z.string().meta({ description: 'The file.' }),
  errors: ['not-found', 'conflict'],
  uses: ['bus', 'instances', 'restorePoints', 'sessions', 'storage', 'tasks', 'tokens'],
  run: async ({ input: { path, point }, actor, deps }): Promise<Streamed> => {
    const { userId } = actor
    const where = await whereToRead(deps, userId, point)
    if (where.point) {
      const { size, bytes } = await openInPoint(deps, where.point, path)
      return { status: 200, headers: downloadHeaders(path, size), body: streamOf(whileAllowed(bytes, actor, deps)) }
    }
    const { taskId, result } = await answered(deps, where.instance, { kind: 'read', path })
    const content = 'content' in result && result.content !== undefined ? fromBase64(result.content) : null
    if (content) {
      return { status: 200, headers: downloadHeaders(path, content.length), body: streamOf([content]) }
    }
    const Location = await deps.storage.getAddress(handoverKey(where.instance.id, taskId), path.split('/').at(-1))
    return { status: 302, headers: { Location, 'Cache-Control': 'no-store' }, body: '' }
  },
})
