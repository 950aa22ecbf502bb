import * as z from 'zod'
import { type AnyOperation, operation } from '../kit/operation.ts'
import { leaseStream, untilRevoked } from '../kit/stream-lease.ts'
import { featuresFor } from './features.ts'
import { checkOrigin, namesInput, protocolAnswers, readMessage, refuseUnknownRevision } from './protocol.ts'

/** @param tools the operations it serves as tools; it runs on what they use */
export const mcpRpc = (tools: readonly AnyOperation[]) =>
  operation({
    id: 'mcpRpc',
    summary: 'Model Context Protocol: one JSON-RPC request',
    description: 'Streamable HTTP, stateless, revisions 2025-11-25 and 2026-07-28. Answers JSON or server-sent events.',
    http: {
      method: 'POST',
      path: '/mcp',
      aliases: ['/mcp-token'],
      stream: true,
      rawBody: true,
      protocol: protocolAnswers('POST'),
    },
    auth: 'user',
    limit: 'read',
    input: namesInput,
    output: z.record(z.string(), z.unknown()),
    uses: { mcp: 'read', socketClient: 'read', catalogue: 'read', leases: 'write', sessions: 'read', tokens: 'read' },
    run: async ({ input, actor, deps, now, request, countAs, reportError }) => {
      const caller = { actor, deps, now, request, countAs, reportError }
      checkOrigin(caller)
      const refused = refuseUnknownRevision(request)
      if (refused) return refused
      const { method, headers, rawBody } = request
      const forwarded = new Request('https://berth.invalid/mcp', { method, headers, body: rawBody })
      const features = featuresFor(tools, caller, input.names)
      const lease = readMessage(rawBody).method === 'subscriptions/listen' ? await leaseStream(actor, deps) : null
      const changes = () => (lease ? untilRevoked(features.changes(lease.signal), lease) : features.changes())
      const answer = await deps.mcp.handle(forwarded, { ...features, changes })
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body: answer.body ?? '' }
    },
  })
