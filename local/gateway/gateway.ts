/** The single local port: the REST API, the WebSocket API, the local pages below `/local`, and the dashboard. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocketApi } from '../../emulators/aws/websocket/api.ts'
import { hasCode, messageOf, StartProblem } from '../kit/problem.ts'
import type { ApiHandler } from './api-handler.ts'
import type { Behavior, Behaviors } from './behaviors.ts'
import { type EdgeErrors, maxUrlBytes } from './edge-errors.ts'
import { errorResponse, type PlainResponse } from './gateway-response.ts'
import type { StaticHandler } from './static-handler.ts'

export interface Handlers {
  /** The first segment of the API's paths. */
  stage: string
  behaviors?: Behaviors
  edgeErrors?: EdgeErrors
  api: ApiHandler
  socket?: WebSocketApi
  pages: StaticHandler
  /** Answers `/local` and paths below it; false for an unknown path. */
  local(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

export interface Gateway {
  server: Server
  /** @returns the port, also for port 0 (any). @throws StartProblem if the port is in use */
  listen(port: number): Promise<number>
  /** Serves these handlers from now on. Before, every request gets an answer to retry. */
  open(handlers: Handlers): void
  close(): Promise<void>
}

export function createGateway(log: (line: string) => void): Gateway {
  let port = 0
  let handlers: Handlers | undefined
  // Without this, Node closes the connection of a request without Host, which must get an answer.
  const options: ServerOptions = {
    requireHostHeader: false,
    // An unsupported upgrade is answered like a plain request.
    shouldUpgradeCallback: (request) => toSocket(request) || server.listenerCount('upgrade') > 1,
  }
  const toSocket = (request: IncomingMessage): boolean =>
    /^websocket$/i.test(request.headers.upgrade ?? '') &&
    isOwnHost(request, port) &&
    handlers !== undefined &&
    isIn(handlers.socket?.stage(), targetOf(handlers, request).target)
  const server = createServer(options, (request, response) => {
    handle(handlers, port, request, response).catch((error) => {
      log(`${request.method} ${request.url}: ${messageOf(error)}`)
      if (response.headersSent) response.destroy()
      else sendPlain(response, errorResponse(500, 'internal', 'Something went wrong here; see the log.'))
    })
  })
  // Streams may be silent and answers slow; the API handler enforces API Gateway's limits.
  server.requestTimeout = 120_000
  server.timeout = 0
  // Longer than clients keep idle connections, so that no request meets a closing one.
  server.keepAliveTimeout = 75_000
  server.on('upgrade', (request, socket, head) => {
    if (!handlers || !toSocket(request)) return
    request.url = targetOf(handlers, request).target
    handlers.socket?.upgrade(request, socket, head)
  })
  server.on('clientError', refuseBadRequest)
  server.on('connect', (_, socket) => refuseBadRequest(new Error('CONNECT'), socket))
  server.on('checkExpectation', (_, response) =>
    sendPlain(response, errorResponse(417, 'validation', 'Only "Expect: 100-continue" is understood.', 'expect')),
  )
  return {
    server,
    listen: async (startPort) => {
      try {
        server.listen(startPort, '127.0.0.1')
        await once(server, 'listening')
      } catch (error) {
        if (!hasCode(error, 'EADDRINUSE')) throw error
        throw new StartProblem(
          `Port ${startPort} is in use: stop what listens there, or start with PORT=${startPort + 1}`,
        )
      }
      const address = server.address()
      port = typeof address === 'object' && address ? address.port : startPort
      return port
    },
    open: (given) => {
      handlers = given
    },
    close: async () => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function handle(
  handlers: Handlers | undefined,
  port: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isOwnHost(request, port)) {
    return sendPlain(
      response,
      errorResponse(403, 'forbidden', `Only 127.0.0.1:${port} and localhost:${port} are served.`),
    )
  }
  if (!handlers) {
    const { status, headers, body } = errorResponse(503, 'internal', 'Berth is starting.')
    return sendPlain(response, { status, headers: { ...headers, 'retry-after': '1' }, body })
  }
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  const { target, behavior } = targetOf(handlers, request)
  request.url = target
  if (isIn(handlers.socket?.stage(), target)) return handlers.socket?.request(request, response)
  for (const [name, value] of Object.entries(behavior?.headers ?? {})) response.setHeader(name, value)
  const { edgeErrors } = handlers
  if (behavior && edgeErrors) {
    if (Buffer.byteLength(target) > maxUrlBytes) return edgeErrors(request, response, 414)
    // Machines call API Gateway's own host. In the stage's paths, both hosts are the same here.
    if (!isIn(handlers.stage, path)) return withinReadTimeout(handlers, behavior, edgeErrors, request, response)
  }
  if (behavior || isIn(handlers.stage, target)) return handlers.api(request, response)
  if (!isIn('local', path)) return handlers.pages(request, response, path)
  const origin = request.headers.origin?.toLowerCase()
  if (origin && origin !== `http://${request.headers.host?.toLowerCase()}`)
    return sendPlain(response, errorResponse(403, 'forbidden', 'Local helpers answer their own pages only.'))
  if (!(await handlers.local(request, response)))
    sendPlain(response, errorResponse(404, 'not-found', 'No such local helper: /local lists all.'))
}

/** CloudFront's error if no answer begins in time. The function continues, as in the cloud. */
async function withinReadTimeout(
  { api }: Handlers,
  { readTimeoutMs }: Behavior,
  edgeErrors: EdgeErrors,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let isLate = false
  const timer = setTimeout(() => {
    if (response.headersSent) return
    isLate = true
    edgeErrors(request, response, 504)
  }, readTimeoutMs)
  try {
    await api(request, response)
  } catch (error) {
    if (!isLate) throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Prevents DNS rebinding: such a page sends its own host name. */
function isOwnHost(request: IncomingMessage, port: number): boolean {
  const host = request.headers.host?.toLowerCase()
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`
}

/** The path and query after the distribution's rewrite. */
function targetOf(handlers: Handlers, { url = '/' }: IncomingMessage): { target: string; behavior?: Behavior } {
  const path = url.split('?')[0] ?? '/'
  const behavior = handlers.behaviors?.(path)
  return behavior ? { target: behavior.target + url.slice(path.length), behavior } : { target: url }
}

function isIn(stage: string | undefined, target: string): boolean {
  const [path = ''] = target.split('?')
  return stage !== undefined && (path === `/${stage}` || path.startsWith(`/${stage}/`))
}

export function sendPlain(response: ServerResponse, { status, headers, body }: PlainResponse): void {
  response.writeHead(status, { 'cache-control': 'no-store', ...headers })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

/** Answers invalid HTTP with an error in the service's shape. */
function refuseBadRequest(error: Error, socket: Duplex): void {
  if (!socket.writable || hasCode(error, 'ECONNRESET')) return void socket.destroy()
  const { body, headers } = errorResponse(400, 'validation', 'The request is not valid HTTP.', 'request')
  const all = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  socket.end(['HTTP/1.1 400 Bad Request', ...lines, '', body].join('\r\n'))
}
