import * as z from 'zod'
import { noInstance } from '../../domain/errors.ts'
import { logLine, maxLogLines } from '../../domain/instance/logs.ts'
import { maxMachineTasks, tasksSince } from '../../domain/instance/machine-tasks.ts'
import { limitOf } from '../../domain/page.ts'
import { hourMs } from '../../domain/time.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { operation } from '../kit/operation.ts'

export const getInstanceLogs = operation({
  id: 'getInstanceLogs',
  summary: 'Read the machine’s log, oldest first',
  description:
    `The log has the lines of the latest ${maxMachineTasks} machines. Without \`since\`, the answer begins an hour ago. ` +
    'To follow the log, repeat the request with `since` set to the time of the last line.',
  http: { method: 'GET', path: '/instance/logs' },
  auth: 'user',
  scope: 'api:instance',
  viewed: 'messages',
  input: z.strictObject({
    since: timestamp.optional().meta({ description: 'The time of the oldest line. Default: an hour ago.' }),
    cursor: z.string().max(4_000).optional().meta({ description: '`nextCursor` of the previous page.' }),
    limit: limitOf(maxLogLines, 200),
  }),
  output: z.object({ lines: z.array(logLine), nextCursor: z.string().nullable() }),
  errors: ['not-found'],
  uses: { instances: 'read', logs: 'read' },
  run: async ({ input: { since, cursor = null, limit }, actor, deps, now }) => {
    const instance = await deps.instances.find(actor.userId)
    if (!instance) throw noInstance()
    const sinceMs = since === undefined ? now - hourMs : Math.max(Date.parse(since), 0)
    const { lines, next } = await deps.logs.read(instance, tasksSince(instance, sinceMs, now), {
      sinceMs,
      limit,
      cursor,
    })
    return { lines, nextCursor: next }
  },
})
