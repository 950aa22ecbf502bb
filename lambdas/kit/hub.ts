import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DomainError, invalid } from '../../domain/errors.ts'
import { renewedClaims } from '../../domain/tokens/machine-token.ts'
import { callerAddress } from './address.ts'
import { type AuthPorts, authenticate } from './authenticate.ts'
import { asDomainError, statusOf, toErrorBody } from './errors.ts'
import { type Exchange, type Heard, noteRefusal, openExchange, responseHeaders, routesOf } from './exchange.ts'
import { readInput } from './input.ts'
import { makeLogger, redact } from './log.ts'
import type { Area, Streamed } from './operation.ts'
import { Refusals } from './refusals.ts'

/** An area and its live ports, as its function has them. */
export interface Served {
  area: Area
  deps: AuthPorts
}

export interface Hub {
  server: Server
  /** Requests under way, settled ones left out. */
  open(): number
  /** Takes no more requests and ends when those under way have, or with their connections after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/** An area as the hub serves it. */
interface ServedArea {
  routes: ReturnType<typeof routesOf>
  deps: AuthPorts
  refusals: Refusals
}

/** Largest request body in bytes; the way through a Lambda takes less. */
const maxBodyBytes = 32 * 1024 * 1024

/** The stage's name in every address, as API Gateway has it. */
const stagePath = '/api'

/**
 * The second shape of the doors that hold connections open: the same operations in one Node HTTP server, where a
 * waiting stream costs a socket and no slot of concurrency.
 */
export function makeHub(served: readonly Served[]): Hub {
  const areas: ServedArea[] = served.map(({ area, deps }) => ({
    routes: routesOf(area),
    deps,
    refusals: new Refusals(),
  }))
  const logger = makeLogger('hub')
  const running = new Set<Promise<void>>()
  const noteFault = (requestId: string, thrown: unknown) =>
    logger.error('unhandled error', { requestId, stack: stackOf(thrown) })

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = crypto.randomUUID()
    let exchange: Exchange | null = null
    try {
      const heard = heardFrom(request, requestId)
      const at = areas.find(({ routes }) => routes.has(`${heard.method} ${heard.resource}`)) ?? areas[0]
      if (!at) throw new Error('a hub without an area')
      exchange = openExchange(at.routes, heard, at.deps.clock.now())
      await write(response, exchange, await answer(request, exchange, at))
    } catch (thrown) {
      const error = asDomainError(thrown)
      if (error.code === 'internal') noteFault(requestId, thrown)
      refuse(request, response, exchange, requestId, error)
    }
  }

  /** Ends before the answer is written, which may take minutes, and keeps nothing of the request's body until then. */
  const answer = async (request: IncomingMessage, exchange: Exchange, at: ServedArea): Promise<Streamed> => {
    const [body] = await Promise.all([readBody(request), admit(exchange, at.deps, at.refusals)])
    exchange.raw.body = body
    const output = await run(exchange, at.deps, (thrown) => noteFault(exchange.requestId, thrown))
    exchange.raw.body = ''
    return output
  }

  const server = createServer((request, response) => {
    if (request.url === '/health') return void response.end('ok')
    const one = handle(request, response).finally(() => running.delete(one))
    running.add(one)
  })
  server.requestTimeout = 60_000
  server.keepAliveTimeout = 65_000
  return {
    server,
    open: () => running.size,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // A connection turns idle after its last response, and would be kept.
      const idle = setInterval(() => server.closeIdleConnections(), 50)
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(timer)
      clearInterval(idle)
      await Promise.all(running)
    },
  }
}

async function admit(exchange: Exchange, deps: AuthPorts, refusals: Refusals): Promise<void> {
  exchange.ip = await callerAddress(exchange.ip, exchange.headers, deps.edge)
  exchange.auth = await authenticate(exchange.operation, exchange, deps, exchange.nowMs, refusals)
  const renewed = exchange.auth.claims && renewedClaims(exchange.auth.claims, exchange.nowMs)
  if (renewed && deps.machineTokens) exchange.machineToken = await deps.machineTokens.sign(renewed)
}

async function run(exchange: Exchange, deps: AuthPorts, failed: (thrown: unknown) => void): Promise<Streamed> {
  const { operation, requestId, headers, raw, method, target } = exchange
  const output = await operation.run({
    input: readInput(operation, raw),
    actor: exchange.auth?.actor as never, // safe because authenticate() answers the actor the operation's auth declares
    deps,
    now: exchange.nowMs,
    request: { id: requestId, headers, rawBody: raw.body, method, target },
    setSession: () => {},
    counted: exchange.counted,
    failed,
  })
  if (operation.http.stream) return output as Streamed // safe because stream operations answer a Streamed
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(output) }
}

/** Ends when the response has, and all that its operation had to do after it. */
async function write(response: ServerResponse, exchange: Exchange, { status, headers, body }: Streamed): Promise<void> {
  response.writeHead(status, Object.assign(responseHeaders(exchange), headers))
  if (typeof body === 'string') return void response.end(body)
  if (typeof body === 'function') return body(response)
  // A client that leaves ends the pipeline, which cancels the stream; so does a stream that breaks the connection.
  await pipeline(Readable.fromWeb(body as never), response).catch(() => {}) // safe because Node has one ReadableStream
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange | null,
  requestId: string,
  error: DomainError,
): void {
  if (response.headersSent) return void response.destroy()
  const { retryAfterSeconds } = error
  if (exchange && retryAfterSeconds !== undefined) noteRefusal(exchange, retryAfterSeconds)
  response.writeHead(statusOf[error.code], {
    ...(exchange ? responseHeaders(exchange) : { 'X-Request-Id': requestId }),
    'Content-Type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    // What is left of a body nobody wants would be read as the next request.
    ...(!request.complete && { Connection: 'close' }),
  })
  response.end(JSON.stringify(toErrorBody(error)))
}

function heardFrom(request: IncomingMessage, requestId: string): Heard {
  const [address = '/', query] = (request.url ?? '/').split('?', 2)
  const path = address.startsWith(`${stagePath}/`) ? address.slice(stagePath.length) : address
  return {
    requestId,
    ip: request.socket.remoteAddress ?? '',
    method: request.method ?? 'GET',
    headers: request.headers as Record<string, string>, // safe because Node joins what came twice, but for Set-Cookie
    target: path,
    resource: path,
    path: {},
    query: query ? Object.fromEntries(new URLSearchParams(query)) : {},
    body: '',
  }
}

/** @throws validation when it is too large, invalid-json when it was cut */
function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let size = 0
    const take = (part: Buffer) => {
      size += part.length
      if (size <= maxBodyBytes) return void parts.push(part)
      parts.length = 0
      request.pause()
      reject(invalid('body', 'Send at most 32 MB; send fewer or smaller images and files.'))
    }
    const cut = () => reject(new DomainError('invalid-json', 'The body ended early.'))
    request.on('data', take)
    request.once('close', cut)
    request.once('end', () => {
      // The request lives as long as its response, and what listens to it keeps the body.
      request.off('data', take).off('close', cut)
      resolve((parts.length === 1 ? parts[0] : Buffer.concat(parts))?.toString('utf8') ?? '')
    })
  })
}

const stackOf = (thrown: unknown): string => redact(thrown instanceof Error ? (thrown.stack ?? '') : String(thrown))
