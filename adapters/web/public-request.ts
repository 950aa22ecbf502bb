import { Resolver } from 'node:dns/promises'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import {
  guardedLookup,
  isLoopback,
  isPublicAddress,
  literalAddress,
  RefusedAddress,
  type Resolve,
} from './public-addresses.ts'

/** ms from the look-up to the connection, and to the last byte of the answer. */
export interface RequestLimits {
  connectMs: number
  wholeMs: number
}

export interface Guard {
  allows(address: string): boolean
  resolve: Resolve
  /** Whether a URL may contain an IP address, and use http with it. */
  literals: boolean
  /** Trusted certificates besides the system's. */
  ca?: string
}

/** The system's look-up reads the local hosts file, and one slow server can block its few threads. */
export const resolveByDns =
  (servers?: readonly string[]): Resolve =>
  async (name) => {
    const resolver = new Resolver({ timeout: 1_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const [first] = found
    if (first.status === 'rejected' && found.every(({ status }) => status === 'rejected')) throw first.reason
    return found.flatMap((each, i) =>
      each.status === 'fulfilled' ? each.value.map((address) => ({ address, family: i === 0 ? 4 : 6 })) : [],
    )
  }

export const publicOnly: Guard = { allows: isPublicAddress, resolve: resolveByDns(), literals: false }

/** For the local service: also its own loopback addresses. */
export const publicOrLoopback: Guard = {
  allows: (address) => isPublicAddress(address) || isLoopback(address),
  resolve: async (name) => (name === 'localhost' ? [{ address: '127.0.0.1', family: 4 }] : publicOnly.resolve(name)),
  literals: true,
}

/** @throws RefusedAddress */
function check({ protocol, username, password }: URL, literal: string | null, { literals, allows }: Guard): void {
  if (username !== '' || password !== '') throw new RefusedAddress('credentials in an address')
  if (literal !== null && !(literals && allows(literal))) throw new RefusedAddress('not a name')
  if (protocol !== 'https:' && !(literals && protocol === 'http:')) throw new RefusedAddress('not over https')
}

/**
 * One request to a user's address. Follows no redirects, uses no proxy, and shares no connection or TLS session with
 * other requests. Resolves with the answer's headers.
 * @throws RefusedAddress, and network errors
 */
export async function requestPublic(
  url: URL,
  {
    method,
    headers,
    body,
  }: { method: 'GET' | 'POST'; headers: Readonly<Record<string, string>>; body?: string | Uint8Array },
  { connectMs, wholeMs }: RequestLimits,
  guard: Guard = publicOnly,
): Promise<IncomingMessage> {
  check(url, literalAddress(url), guard)
  const secure = url.protocol === 'https:'
  const agent = secure ? new HttpsAgent({ maxCachedSessions: 0 }) : new HttpAgent()
  const options = {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
    agent,
    lookup: guardedLookup(guard.resolve, guard.allows),
    signal: AbortSignal.timeout(wholeMs),
    ...(guard.ca && { ca: guard.ca }),
  }
  return new Promise((done, failed) => {
    const asked = secure ? requestHttps(url, options, done) : requestHttp(url, options, done)
    const slow = setTimeout(() => asked.destroy(new DOMException('no connection in time', 'TimeoutError')), connectMs)
    const connected = () => clearTimeout(slow)
    asked.once('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', connected))
    // A protocol upgrade closes the request without an error.
    const closed = () => {
      connected()
      failed(new Error('no answer'))
    }
    asked.once('close', closed).on('error', failed).end(body)
  })
}
