import * as z from 'zod'
import type { Change } from '../../domain/mcp/changes.ts'
import { operation } from '../kit/operation.ts'
import { openStream, type SseEvent, sse } from '../kit/sse.ts'
import { checkOrigin } from './caller.ts'
import { refused, refuseRevision } from './revision.ts'
import { changesFor } from './surface.ts'

export const mcpEventStream = operation({
  id: 'mcpEventStream',
  summary: 'Model Context Protocol: notifications of the server',
  description:
    'Server-sent events: a resource-updated notification for whatever changed. Last-Event-ID goes on after an earlier one.',
  http: { method: 'GET', path: '/mcp', stream: true },
  auth: 'user',
  limit: 'mcp',
  input: z.strictObject({ names: z.enum(['dots', 'underscore']).optional() }),
  output: z.record(z.string(), z.unknown()),
  errors: [],
  uses: ['events', 'catalogue', 'leases', 'sessions', 'tokens'],
  run: async ({ actor, deps, now, request, failed }) => {
    const caller = { actor, deps, now, request, failed }
    checkOrigin(caller)
    const no = refuseRevision(request)
    if (no) return no
    if (!takesEvents(request.headers.accept))
      return refused(406, 'Not Acceptable: Client must accept text/event-stream')
    const leave = await openStream(actor, deps)
    return sse(notifications(changesFor(caller, leave.over)), leave)
  },
})

const takesEvents = (accept: string | undefined): boolean => /text\/(event-stream|\*)|\*\/\*/.test(accept ?? '*/*')

async function* notifications(changes: AsyncGenerator<Change | null>): AsyncGenerator<SseEvent | null> {
  for await (const one of changes) {
    const params = { uri: one?.uri }
    yield one && { id: one.eventId, data: { jsonrpc: '2.0', method: 'notifications/resources/updated', params } }
  }
}
