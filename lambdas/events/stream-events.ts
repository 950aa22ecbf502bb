import * as z from 'zod'
import { followEvents } from '../../app/chat/follow-events.ts'
import { isAllowed } from '../../domain/actor.ts'
import { type Event, event, eventScope } from '../../domain/chat/event.ts'
import { idPattern } from '../../domain/ids.ts'
import { credentialsOf, operation } from '../kit/operation.ts'
import { type SseEvent, sse } from '../kit/sse.ts'
import { leaseStream } from '../kit/stream-lease.ts'

export const streamEvents = operation({
  id: 'streamEvents',
  summary: 'Stream the events of this account',
  description:
    'Server-sent events. To continue an earlier stream, send Last-Event-ID. A token receives the events that its ' +
    'scopes may read: messages with `api:chat`, the wallet with `mcp:wallet.read`, the instance and the ' +
    'subscription with `mcp:instance.read`, personas and skills with `mcp:personas.read` and `mcp:skills.read`, ' +
    'files with `api:instance`, tokens with `api:tokens.write`.',
  http: { method: 'GET', path: '/events', stream: true },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({
    reader: z
      .string()
      .regex(/^\w{8,40}$/)
      .optional()
      .meta({
        description:
          'A name that the client chooses and keeps after a reload, so that it takes over its earlier stream.',
        example: '7f3b2c9e4d5a4b6c',
      }),
  }),
  output: event,
  errors: [],
  uses: { socketClient: 'read', leases: 'write', sessions: 'read', tokens: 'read' },
  run: async ({ input, actor, deps, request }) => {
    const last = request.headers['last-event-id'] ?? ''
    const lease = await leaseStream(actor, deps, input.reader)
    const from = idPattern('evt').test(last) ? last : null
    const isFor = (told: Event) => isAllowed(actor, eventScope(told))
    const events = followEvents(deps, credentialsOf(request), from, isFor, lease.signal)
    return sse(encodeEvents(events), lease)
  },
})

async function* encodeEvents(events: ReturnType<typeof followEvents>): AsyncGenerator<SseEvent | null> {
  for await (const event of events) yield event && { id: event.id, event: event.type, data: event }
}
