import * as z from 'zod'
import { operation } from '../kit/operation.ts'
import { checkToolScope, toolsFor } from './tools.ts'

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
  uses: ['mcp'],
  run: async ({ input, actor, deps, now, request }) => {
    checkToolScope(actor, request.rawBody)
    const target = `https://berth.invalid/mcp${input.names ? `?names=${input.names}` : ''}`
    const { method, headers, rawBody } = request
    const answer = await deps.mcp.handle(
      new Request(target, { method, headers, body: rawBody }),
      toolsFor({ actor, deps, now, request }),
    )
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: answer.body ?? '' }
  },
})
