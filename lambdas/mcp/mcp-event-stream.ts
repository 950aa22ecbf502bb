import * as z from 'zod'
import type { ResourceChange } from '../../domain/mcp/resources.ts'
import { accepts } from '../kit/accept.ts'
import { operation } from '../kit/operation.ts'
import { type SseEvent, sse } from '../kit/sse.ts'
import { leaseStream } from '../kit/stream-lease.ts'
import { changesFor } from './features.ts'
import { checkOrigin, namesInput, protocolAnswers, refusal, refuseRevision } from './protocol.ts'

export const mcpEventStream = operation({
  id: 'mcpEventStream',
  summary: 'Model Context Protocol: stream the server’s notifications',
  description:
    'Server-sent events: one resource-updated notification per change. Last-Event-ID continues an earlier stream.',
  http: { method: 'GET', path: '/mcp', aliases: ['/mcp-token'], stream: true, protocol: protocolAnswers('GET') },
  auth: 'user',
  limit: 'read',
  input: namesInput,
  output: z.record(z.string(), z.unknown()),
  uses: { socketClient: 'read', catalogue: 'read', leases: 'write', sessions: 'read', tokens: 'read' },
  run: async ({ actor, deps, now, request, countAs, reportError }) => {
    const caller = { actor, deps, now, request, countAs, reportError }
    checkOrigin(caller)
    const refused = refuseRevision(request)
    if (refused) return refused
    if (!accepts(request.headers.accept, 'text/event-stream'))
      return refusal(406, { code: -32000, message: 'Not Acceptable: Client must accept text/event-stream' })
    const lease = await leaseStream(actor, deps)
    return sse(notifications(changesFor(caller, lease.signal)), lease)
  },
})

async function* notifications(changes: AsyncGenerator<ResourceChange | null>): AsyncGenerator<SseEvent | null> {
  for await (const change of changes) {
    const params = { uri: change?.uri }
    yield change && { id: change.eventId, data: { jsonrpc: '2.0', method: 'notifications/resources/updated', params } }
  }
}
