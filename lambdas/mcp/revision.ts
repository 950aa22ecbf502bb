import { newestRevision, sessionRevisions } from '../../domain/mcp/revisions.ts'
import type { RequestFacts, Streamed } from '../kit/operation.ts'

/**
 * What a GET or DELETE is answered that names a revision without them, in the protocol's own words; null when it may
 * go on. A POST is judged by the protocol's own server.
 */
export function refuseRevision({ headers }: RequestFacts): Streamed | null {
  const named = headers['mcp-protocol-version']
  if (named === undefined || sessionRevisions.includes(named)) return null
  if (named === newestRevision) return refused(405, 'Method not allowed.', { Allow: 'POST' })
  return refused(400, `Bad Request: Unsupported protocol version: ${named.slice(0, 40)}`)
}

export const refused = (status: number, message: string, headers: Record<string, string> = {}): Streamed => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }),
})
