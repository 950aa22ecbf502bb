import * as z from 'zod'
import { name } from '../name.ts'

/** Public: it has no secret, and proves each step by PKCE. */
export const client = z.object({
  /** `cli_…` of a self-registered client, or the https address of the client's metadata document. */
  id: z.string(),
  /** Unverified. */
  name: z.string(),
  redirectUris: z.array(z.string()),
})

export type Client = z.infer<typeof client>

/** Schemes that a browser would run, open or show itself. */
const refusedSchemes = new Set([
  'javascript',
  'data',
  'vbscript',
  'file',
  'blob',
  'about',
  'view-source',
  'ws',
  'wss',
  'ftp',
])

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost'])

const isLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && loopbackHosts.has(hostname)

/** True for https, this machine's own programs, or an app's own scheme. */
function isRedirectUri(text: string): boolean {
  const url = URL.parse(text)
  // A parser and a browser must not read two addresses in one text.
  if (!url || text.includes('#') || /[\s\\]/.test(text) || url.username || url.password) return false
  if (url.protocol === 'https:' || isLoopback(url)) return true
  return url.protocol !== 'http:' && !refusedSchemes.has(url.protocol.slice(0, -1))
}

/** True for a registered address to the letter, or this machine's on any port (RFC 8252, section 7.3). */
export function mayRedirect({ redirectUris }: Client, asked: string): boolean {
  if (!isRedirectUri(asked)) return false
  return redirectUris.some((registered) => registered === asked || sameButPort(registered, asked))
}

function sameButPort(registered: string, asked: string): boolean {
  const [one, other] = [URL.parse(registered), URL.parse(asked)]
  if (!one || !other || !isLoopback(one) || !isLoopback(other)) return false
  one.port = ''
  other.port = ''
  return one.href === other.href
}

/** The metadata fields in use (RFC 7591), from a registration or a document; others are ignored. */
export const clientMetadata = z.object({
  client_name: name('Give client_name.').optional().catch(undefined),
  redirect_uris: z.array(z.string().max(500).refine(isRedirectUri)).min(1).max(20),
})

type ClientMetadata = z.infer<typeof clientMetadata>

/** A client without a name has the host of its redirect. */
export const clientOf = (id: string, { client_name, redirect_uris }: ClientMetadata): Client => ({
  id,
  name: client_name ?? hostOf(redirect_uris[0] ?? ''),
  redirectUris: redirect_uris,
})

/**
 * The documents of Claude's programs and Codex (November 2026). Claude's host has refused servers (403, a page for
 * browsers), a laptop without a network reads no document, and a client that can send an address does not register
 * instead. Codes go only to the addresses in the documents, so any program may use these ids.
 */
export const knownDocuments: Readonly<Record<string, ClientMetadata>> = {
  'https://claude.ai/oauth/mcp-oauth-client-metadata': {
    client_name: 'Claude',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
  },
  'https://claude.ai/oauth/claude-code-client-metadata': {
    client_name: 'Claude Code',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  },
  'https://chatgpt.com/oauth/codex/client.json': {
    client_name: 'Codex',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  },
}

export function hostOf(redirectUri: string): string {
  const url = URL.parse(redirectUri)
  if (!url) return ''
  if (isLoopback(url)) return 'this computer'
  return url.protocol === 'https:' ? url.host : url.protocol.slice(0, -1)
}

/** True if the id is a document's address under the draft on client id metadata documents. */
export function isDocumentAddress(id: string): boolean {
  const url = URL.parse(id)
  return (
    url?.protocol === 'https:' &&
    url.href === id &&
    url.pathname !== '/' &&
    !url.username &&
    !url.password &&
    !url.port &&
    !id.includes('#')
  )
}
