import * as z from 'zod'
import { follow } from '../../domain/chat/follow.ts'
import { idPattern } from '../../domain/ids.ts'
import { operation } from '../kit/operation.ts'
import { type SseEvent, sse } from '../kit/sse.ts'

export const mcpEventStream = operation({
  id: 'mcpEventStream',
  summary: 'Model Context Protocol: notifications of the server',
  description:
    'Server-sent events: a resource-updated notification for whatever changed. Last-Event-ID goes on after an earlier one.',
  http: { method: 'GET', path: '/mcp', stream: true },
  auth: 'user',
  limit: 'mcp',
  input: z.strictObject({}),
  output: z.record(z.string(), z.unknown()),
  errors: [],
  uses: ['events'],
  run: async ({ actor, deps, request }) => {
    const last = request.headers['last-event-id'] ?? ''
    return sse(notifications(follow(deps, actor.userId, idPattern('evt').test(last) ? last : null)))
  },
})

async function* notifications(source: ReturnType<typeof follow>): AsyncGenerator<SseEvent | null> {
  for await (const one of source) {
    const noun = one?.type.split('.')[0]
    if (one && noun !== 'wallet' && noun !== 'instance') continue
    const params = { uri: `berth://${noun}` }
    yield one && { id: one.id, data: { jsonrpc: '2.0', method: 'notifications/resources/updated', params } }
  }
}
