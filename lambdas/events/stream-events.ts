import * as z from 'zod'
import { event } from '../../domain/chat/event.ts'
import { follow } from '../../domain/chat/follow.ts'
import { idPattern } from '../../domain/ids.ts'
import { operation } from '../kit/operation.ts'
import { openStream, type SseEvent, sse } from '../kit/sse.ts'

export const streamEvents = operation({
  id: 'streamEvents',
  summary: 'Everything that happens to this account, as it happens',
  description: 'Server-sent events. Send Last-Event-ID to go on where an earlier stream ended.',
  http: { method: 'GET', path: '/events', stream: true },
  auth: 'user',
  scope: 'api:chat',
  limit: 'read',
  input: z.strictObject({
    reader: z
      .string()
      .regex(/^\w{8,40}$/)
      .optional()
      .meta({
        description: 'A name of the reader’s own, the same after a reload: it then takes over the stream it had.',
        example: '7f3b2c9e4d5a4b6c',
      }),
  }),
  output: event,
  errors: [],
  uses: ['events', 'leases', 'sessions', 'tokens'],
  run: async ({ input, actor, deps, request }) => {
    const last = request.headers['last-event-id'] ?? ''
    const leave = await openStream(actor, deps, input.reader)
    return sse(told(follow(deps, actor.userId, idPattern('evt').test(last) ? last : null, leave.over)), leave)
  },
})

async function* told(source: ReturnType<typeof follow>): AsyncGenerator<SseEvent | null> {
  for await (const one of source) yield one && { id: one.id, event: one.type, data: one }
}
