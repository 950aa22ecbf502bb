/** Checks each step by which an MCP client connects, from a browser. */

import { cut } from '../../domain/text.ts'
import { doctorTexts as words } from '../texts/doctor.ts'

const { found: finds, hops, wrong } = words

/** The findings after each step, kept across the consent page in this tab only. */
interface Known {
  metadata?: string
  issuer?: string
  authorize?: string
  register?: string
  token?: string
  revoke?: string
  client?: string
  verifier?: string
  state?: string
  access?: string
}

/** One step. It throws an error that names the obstacle for a client. */
interface Hop {
  name: string
  what: string
  walk(known: Known): Promise<{ known: Known; found: string }>
}

const { origin } = window.location
const endpoint = `${origin}/api/mcp`
const callback = `${origin}/connect/doctor`
const scope = 'mcp:wallet.read'
const key = 'connection doctor'

const post = (url: string, body: object | URLSearchParams, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    // A client has none of our cookies.
    credentials: 'omit',
    body: body instanceof URLSearchParams ? body : JSON.stringify(body),
    headers: { ...(!(body instanceof URLSearchParams) && { 'Content-Type': 'application/json' }), ...headers },
  })

const rpc = (method: string, params: object, token?: string, version = '2025-06-18') =>
  post(
    endpoint,
    { jsonrpc: '2.0', id: 1, method, params },
    {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': version,
      ...(token && { Authorization: `Bearer ${token}` }),
    },
  )

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'connection doctor', version: '1.0.0' },
}

/** @throws an error with status and type for an answer that is not JSON */
async function jsonOf(response: Response, status: number): Promise<Record<string, unknown>> {
  const text = await response.text()
  const data = /^data: ?(\{.*)$/m.exec(text)?.[1] ?? text
  const type = response.headers.get('content-type') ?? wrong.noType
  if (response.status !== status)
    throw new Error(wrong.status(response.status, status, cut(text, 200) || wrong.emptyAnswer))
  try {
    return JSON.parse(data) as Record<string, unknown> // safe because what is read of it is checked
  } catch {
    throw new Error(wrong.notJson(type, cut(text, 80)))
  }
}

/** @throws for a missing field */
function textIn(answer: Record<string, unknown>, name: string): string {
  const value = answer[name]
  if (typeof value !== 'string' || value === '') throw new Error(wrong.noField(name))
  return value
}

const expect = (holds: boolean, otherwise: string): void => {
  if (!holds) throw new Error(otherwise)
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '')
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))
const challengeOf = async (verifier: string) =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))

/** Before the consent page, in order. */
export const hopsBefore: readonly Hop[] = [
  {
    ...hops.endpoint,
    async walk() {
      const response = await rpc('initialize', hello)
      expect(response.status === 401, wrong.asksNobody(response.status))
      const challenge = response.headers.get('www-authenticate') ?? ''
      const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1]
      if (!metadata) throw new Error(wrong.noMetadata(challenge || wrong.noChallenge))
      expect(new URL(metadata).origin === origin, wrong.otherHost(metadata))
      return { known: { metadata }, found: challenge }
    },
  },
  {
    ...hops.discovery,
    async walk(known) {
      const answer = await jsonOf(await fetch(known.metadata ?? '', { credentials: 'omit' }), 200)
      expect(answer.resource === endpoint, wrong.otherResource(String(answer.resource), endpoint))
      const [issuer] = Array.isArray(answer.authorization_servers) ? answer.authorization_servers : []
      if (typeof issuer !== 'string') throw new Error(wrong.noServer)
      return { known: { ...known, issuer }, found: issuer }
    },
  },
  {
    ...hops.metadata,
    async walk(known) {
      const issuer = new URL(known.issuer ?? '')
      const url = `${issuer.origin}/.well-known/oauth-authorization-server${issuer.pathname.replace(/\/$/, '')}`
      const answer = await jsonOf(await fetch(url, { credentials: 'omit' }), 200)
      expect(answer.issuer === known.issuer, wrong.otherIssuer(String(answer.issuer), known.issuer))
      const methods = answer.code_challenge_methods_supported
      expect(Array.isArray(methods) && methods.includes('S256'), wrong.noPkce)
      const endpoints = {
        authorize: textIn(answer, 'authorization_endpoint'),
        register: textIn(answer, 'registration_endpoint'),
        token: textIn(answer, 'token_endpoint'),
        revoke: textIn(answer, 'revocation_endpoint'),
      }
      return { known: { ...known, ...endpoints }, found: `${endpoints.authorize}, ${endpoints.token}` }
    },
  },
  {
    ...hops.registration,
    async walk(known) {
      const metadata = { client_name: 'Connection doctor', redirect_uris: [callback] }
      const client = textIn(await jsonOf(await post(known.register ?? '', metadata), 201), 'client_id')
      return { known: { ...known, client, verifier: random(), state: random() }, found: client }
    },
  },
]

/** Opens the consent page, and keeps the findings until the browser returns. */
export async function goToConsent(known: Known, walked: readonly Walked[]): Promise<void> {
  sessionStorage.setItem(key, JSON.stringify({ known, walked }))
  const address = new URL(known.authorize ?? '')
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: known.client ?? '',
    redirect_uri: callback,
    scope,
    state: known.state ?? '',
    resource: endpoint,
    code_challenge: await challengeOf(known.verifier ?? ''),
    code_challenge_method: 'S256',
  }).toString()
  window.location.assign(address)
}

/** The answer of the consent page, removed from the address at once; null without one. */
export function readReturn(): { answer: URLSearchParams; known: Known; walked: Walked[] } | null {
  const answer = new URLSearchParams(window.location.search)
  const kept = sessionStorage.getItem(key)
  if (!kept || !(answer.has('code') || answer.has('error'))) return null
  sessionStorage.removeItem(key)
  window.history.replaceState(null, '', window.location.pathname)
  return { answer, ...(JSON.parse(kept) as { known: Known; walked: Walked[] }) } // safe because this page wrote it
}

/** After the consent page, in order. */
export const hopsAfter = (answer: URLSearchParams): readonly Hop[] => [
  {
    ...hops.consent,
    async walk(known) {
      const error = answer.get('error')
      expect(!error, error === 'access_denied' ? wrong.declined : wrong.refused(String(error)))
      expect(answer.get('state') === known.state, wrong.otherState)
      expect(answer.get('iss') === known.issuer, wrong.otherSender(answer.get('iss'), known.issuer))
      return { known, found: finds.code }
    },
  },
  {
    ...hops.token,
    async walk(known) {
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code: answer.get('code') ?? '',
        redirect_uri: callback,
        client_id: known.client ?? '',
        code_verifier: known.verifier ?? '',
        resource: endpoint,
      })
      const tokens = await jsonOf(await post(known.token ?? '', form), 200)
      return {
        known: { ...known, access: textIn(tokens, 'access_token') },
        found: finds.token(String(tokens.expires_in), String(tokens.scope)),
      }
    },
  },
  {
    ...hops.call,
    async walk(known) {
      const { result } = await jsonOf(await rpc('initialize', hello, known.access), 200)
      const version = (result as { protocolVersion?: string } | undefined)?.protocolVersion
      const called = await rpc('tools/call', { name: 'wallet.balance', arguments: {} }, known.access, version)
      const answer = await jsonOf(called, 200)
      const refused = cut(JSON.stringify(answer.error ?? answer.result), 200)
      expect(!answer.error && (answer.result as { isError?: boolean }).isError !== true, wrong.callRefused(refused))
      return { known, found: finds.answered(version) }
    },
  },
  {
    ...hops.end,
    async walk(known) {
      const form = new URLSearchParams({ token: known.access ?? '', client_id: known.client ?? '' })
      await jsonOf(await post(known.revoke ?? '', form), 200)
      const { status } = await rpc('initialize', hello, known.access)
      expect(status === 401, wrong.stillGood(status))
      return { known, found: finds.nothingLeft }
    },
  },
]

export interface Walked {
  hop: Pick<Hop, 'name' | 'what'>
  ok: boolean
  found: string
}

/** Stops at the first step that fails. @returns all findings; null after a failure */
export async function walk(hops: readonly Hop[], start: Known, tell: (walked: Walked) => void): Promise<Known | null> {
  let known = start
  for (const hop of hops) {
    try {
      const went = await hop.walk(known)
      known = went.known
      tell({ hop, ok: true, found: went.found })
    } catch (error) {
      tell({ hop, ok: false, found: error instanceof Error ? error.message : String(error) })
      return null
    }
  }
  return known
}
