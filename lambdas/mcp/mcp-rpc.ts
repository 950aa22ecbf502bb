import * as z from 'zod'
import type { Tokens } from '../../app/ports/tokens.ts'
import { clientName, knownClient } from '../../domain/tokens/client-name.ts'
import { type AnyOperation, operation } from '../kit/operation.ts'
import { leaseListener, untilRevoked } from '../kit/stream-lease.ts'
import { type Caller, featuresFor } from './features.ts'
import {
  checkOrigin,
  checkSize,
  type Message,
  namesInput,
  notAcceptable,
  protocolAnswers,
  readMessage,
  refuseUnknownRevision,
  takenBy,
} from './protocol.ts'

/** @param tools the operations that it serves as tools; it has their ports, too */
export const mcpRpc = (tools: readonly AnyOperation[]) =>
  operation({
    id: 'mcpRpc',
    summary: 'Model Context Protocol: send a JSON-RPC request',
    description:
      'Streamable HTTP, stateless, revisions 2025-11-25 and 2026-07-28. Answers with JSON or server-sent events.',
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
      checkSize(request)
      const refused = refuseUnknownRevision(request)
      if (refused) return refused
      const message = readMessage(request.rawBody)
      const takes = takenBy(request, message)
      if (!takes) return notAcceptable(message)
      const { method, headers } = request
      const forwarded = new Request('https://berth.invalid/mcp', { method, headers, body: message.body })
      const features = featuresFor(tools, caller, input.names)
      await noteClient(caller, message)
      const lease = message.method === 'subscriptions/listen' ? await leaseListener(actor, deps) : null
      const changes = () => (lease ? untilRevoked(features.changes(lease.signal), lease) : features.changes())
      const answer = await deps.mcp.handle(forwarded, { ...features, changes }, takes)
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body: answer.body ?? '' }
    },
  })

async function noteClient(
  { actor, deps, request, reportError }: Caller & { deps: { tokens: Tokens } },
  { clientName: name }: Message,
): Promise<void> {
  if (actor.kind !== 'pat' || name === undefined || knownClient(request.headers['user-agent'] ?? '')) return
  const client = clientName(name)
  // A failure to store the name does not fail the call.
  if (client && client !== actor.client) await deps.tokens.noteClient(actor.tokenId, client).catch(reportError)
}
