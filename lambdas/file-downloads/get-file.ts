import * as z from 'zod'
import { chooseSource, openInPoint } from '../../app/files/browse.ts'
import { downloadHeaders } from '../../app/files/download.ts'
import { runJob } from '../../app/files/volume-jobs.ts'
import { filePath } from '../../domain/agent/task.ts'
import { unauthorized } from '../../domain/errors.ts'
import { handoverKey } from '../../domain/files/storage.ts'
import { operation, type StreamedResponse, streamOf } from '../kit/operation.ts'
import { leaseDownload, untilRevoked } from '../kit/stream-lease.ts'

export const getFile = operation({
  id: 'getFile',
  summary: 'Get a file from the volume or from a restore point',
  description:
    'Answers with the bytes as an attachment, or for a large file with a redirect to an address that works for some ' +
    'minutes. Only regular files can be read: no links, devices, sockets or pipes.',
  http: { method: 'GET', path: '/instance/files/{path+}', stream: 'application/octet-stream' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({
    path: filePath.min(1).meta({ description: 'The file’s path on the volume.' }),
    point: z.string().optional().meta({ description: 'A restore point to read from instead of the machine.' }),
  }),
  output: z.string().meta({ description: 'The file.' }),
  errors: ['not-found', 'conflict'],
  uses: {
    bus: 'write',
    outbox: 'write',
    instances: 'read',
    leases: 'write',
    restorePoints: 'read',
    sessions: 'read',
    storage: 'read',
    tasks: 'write',
    tokens: 'read',
  },
  run: async ({ input: { path, point }, actor, deps }): Promise<StreamedResponse> => {
    const { userId } = actor
    const where = await chooseSource(deps, userId, point)
    if (where.point) {
      const { size, bytes } = await openInPoint(deps, where.point, path)
      const lease = await leaseDownload(actor, deps)
      // An interrupted download must not look complete.
      const body = streamOf(untilRevoked(bytes, lease, { error: unauthorized() }))
      return { status: 200, headers: downloadHeaders(path, size), body }
    }
    const lease = await leaseDownload(actor, deps)
    const read = runJob(deps, where.instance, { kind: 'read', path })
    const { taskId, result } = await read.finally(() => lease.release())
    const content = 'content' in result && result.content !== undefined ? Buffer.from(result.content, 'base64') : null
    if (content) return { status: 200, headers: downloadHeaders(path, content.length), body: streamOf([content]) }
    const Location = await deps.storage.getAddress(handoverKey(where.instance.id, taskId), path.split('/').at(-1))
    return { status: 302, headers: { Location, 'Cache-Control': 'no-store' }, body: '' }
  },
})
