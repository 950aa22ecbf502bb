import * as z from 'zod'
import { operation } from '../kit/operation.ts'
import { checkOrigin } from './caller.ts'
import { leaveToListen, whileWelcome } from './listen.ts'
import { surfaceFor } from './surface.ts'

export const mcpRpc = operation({
  id: 'mcpRpc',
  summary: 'Model Context Protocol: one JSON-RPC request',
  description: 'Streamable HTTP, stateless, revisions 2025-11-25 and 2026-07-28. Answers JSON or server-sent events.',
  http: { method: 'POST', path: '/mcp', stream: true, rawBody: true },
  auth: 'user',
  limit: 'mcp',
  input: z.strictObject({ names: z.enum(['dots', 'underscore']).optional() }),
  output: z.record(z.string(), z.unknown()),
  errors: [],
  uses: ['mcp', 'events', 'catalogue', 'leases', 'sessions', 'tokens'],
  run: async ({ input, actor, deps, now, request, failed }) => {
    const caller = { actor, deps, now, request, failed }
    checkOrigin(caller)
    const { method, headers, rawBody } = request
    const asked = new Request('https://berth.invalid/mcp', { method, headers, body: rawBody })
    const surface = surfaceFor(caller, input.names)
    const leave = await leaveToListen(caller, deps)
    const changes = () => (leave ? whileWelcome(surface.changes(leave.over), leave) : surface.changes())
    const answer = await deps.mcp.handle(asked, { ...surface, changes })
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: answer.body ?? '' }
  },
})
