/** API Gateway's WebSocket APIs: connections, routes to functions, and the management endpoint of a stage. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket, WebSocketServer } from 'ws'
import * as z from 'zod'
import { type Authorizer, accessKeyOf } from '../authorization.ts'
import { ACCOUNT, AwsError, errorResponse, jsonResponse, readBody, send } from '../protocols.ts'
import type { ConnectionFacts } from './events.ts'
import { connectEvent, disconnectEvent, factsOf, messageEvent, newId } from './events.ts'
import { frameLengths } from './frame-lengths.ts'

export type Integration =
  | { type: 'function'; arn: string; timeoutMs: number }
  /** Answers by itself with this status, and with this text where the route has a response. */
  | { type: 'mock'; status: number; reply?: string }

export interface Route {
  integration: Integration
  /** Whether what the integration answers is sent to the client. */
  responds: boolean
}

/** The definition of one deployment of an API. */
export interface Deployment {
  apiId: string
  stage: string
  /** Where a JSON message names its route: `['action']` for `$request.body.action`. */
  selection: string[]
  routes: ReadonlyMap<string, Route>
}

export type Invoke = (arn: string, event: unknown) => Promise<{ ok: true; payload: unknown } | { ok: false }>

/** Quotas of API Gateway, in milliseconds and bytes. */
export const limits = {
  idleMs: 10 * 60_000,
  ageMs: 2 * 3_600_000,
  messageBytes: 128 * 1024,
  frameBytes: 32 * 1024,
  /** The maximum unread data of a client; AWS has such a limit but does not publish it. */
  unreadBytes: 1024 * 1024,
  /** How long a client may take to answer a close frame. */
  closeMs: 2000,
}

export interface WebSocketApi {
  /** The stage that is served; undefined while there is no deployment. */
  stage(): string | undefined
  /** Routes by this deployment from now on. Connections stay, unless there is none, or one of another API. */
  deploy(deployment: Deployment | undefined, invoke: Invoke): void
  /** Takes an upgrade to the stage. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Answers any other request to the stage: `/<stage>/@connections/{id}` is its management endpoint. */
  request(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Ends every connection, and waits for what functions are doing, 2 s at most. */
  close(): Promise<void>
}

interface Connection {
  facts: ConnectionFacts
  socket: WebSocket
  lastActiveAt: number
  idle: NodeJS.Timeout
  age: NodeJS.Timeout
}

const Reply = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  body: z.string().nullish(),
  headers: z.record(z.string(), z.unknown()).nullish(),
})

/** An integration's answer; `failed` if the status is ours because its answer was unusable. */
interface Result {
  status: number
  failed: boolean
  body?: string | undefined
  headers?: Record<string, unknown>
}

/** Bytes of a post that are read before it is refused. */
const DRAIN_LIMIT = 10 * 1024 * 1024
const CLOSE_MS = 2000

/** API Gateway's reason for an end that it caused, or for which the client gave no reason. */
const reasons: Record<number, string> = {
  1000: 'Connection Closed Normally',
  1001: 'Going away',
  1005: 'Client-side close frame status not set',
}

/** With an `authorizer`, managing connections requires `execute-api:ManageConnections` on them. */
export function createWebSocketApi(
  log: (line: string) => void,
  given: Partial<typeof limits> = {},
  authorizer?: Pick<Authorizer, 'refusal'>,
  region = 'us-east-1',
): WebSocketApi {
  const limit = { ...limits, ...given }
  const connections = new Map<string, Connection>()
  const underWay = new Set<Promise<unknown>>()
  const protocols = new WeakMap<IncomingMessage, string>()
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: limit.messageBytes,
    // A client that asks for a protocol gets the one that $connect chose, or none.
    handleProtocols: (_, request) => protocols.get(request) ?? false,
  })
  let deployment: Deployment | undefined
  let closed = false
  let invoke: Invoke = async () => ({ ok: false })

  const track = (work: Promise<unknown>) => {
    const tracked = work
      .catch((error) => log(`WebSocket API: ${error instanceof Error ? error.stack : error}`))
      .finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }

  /** Removes the connection, once: the first caller gives the reason. */
  const end = ({ facts, idle, age }: Connection, code: number, reason: string) => {
    if (!connections.delete(facts.id)) return
    clearTimeout(idle)
    clearTimeout(age)
    disconnect(facts, code, reason)
  }
  const disconnect = (facts: ConnectionFacts, code: number, reason: string) => {
    const integration = deployment?.routes.get('$disconnect')?.integration
    if (integration?.type === 'function') track(invoke(integration.arn, disconnectEvent(facts, code, reason)))
  }
  const cut = (connection: Connection, code: number, reason = reasons[code] ?? '') => {
    connection.socket.close(code, reason)
    setTimeout(() => connection.socket.terminate(), limit.closeMs).unref()
    end(connection, code, reason)
  }
  const touch = (connection: Connection) => {
    connection.lastActiveAt = Date.now()
    connection.idle.refresh()
  }
  const write = (connection: Connection, data: Buffer) => {
    touch(connection)
    let from = 0
    do {
      const to = from + limit.frameBytes
      connection.socket.send(data.subarray(from, to), { binary: false, fin: to >= data.length })
      from = to
    } while (from < data.length)
  }

  const open = (facts: ConnectionFacts, socket: WebSocket) => {
    const connection: Connection = {
      facts,
      socket,
      lastActiveAt: Date.now(),
      idle: setTimeout(() => cut(connection, 1001), limit.idleMs).unref(),
      age: setTimeout(() => cut(connection, 1001), limit.ageMs).unref(),
    }
    connections.set(facts.id, connection)
    socket.on('message', (data: Buffer, binary: boolean) => {
      if (connections.get(facts.id) !== connection) return
      touch(connection)
      if (binary) return cut(connection, 1003, 'Binary is not supported')
      track(receive(connection, data.toString('utf8')))
    })
    socket.on('close', (code, reason) => end(connection, code, reason.toString() || (reasons[code] ?? '')))
    // The server has sent its close frame by then.
    socket.on('error', (error) => end(connection, closeCodes.get('code' in error ? error.code : '') ?? 1002, ''))
    return connection
  }

  /** Messages of one connection do not wait for each other. */
  const receive = async (connection: Connection, body: string) => {
    const { facts } = connection
    const requestId = newId()
    const fail = (message: string) => answer(connection, JSON.stringify({ message, connectionId: facts.id, requestId }))
    const found = deployment && routeOf(deployment, body)
    if (!found) return fail('Forbidden')
    const [routeKey, { integration, responds }] = found
    const result = await run(integration, messageEvent(facts, requestId, routeKey, body))
    if (result.failed) return fail('Internal server error')
    if (responds && result.body) answer(connection, result.body)
  }
  const answer = (connection: Connection, text: string) => {
    if (connections.get(connection.facts.id) === connection) write(connection, Buffer.from(text))
  }

  const run = async (integration: Integration, event: object): Promise<Result> => {
    if (integration.type === 'mock') {
      const { status, reply } = integration
      return { status, failed: status > 499, body: reply }
    }
    const outcome = await withTimeout(integration.timeoutMs, invoke(integration.arn, event))
    if (outcome === 'timeout') return { status: 504, failed: true }
    const reply = outcome.ok ? Reply.safeParse(outcome.payload) : undefined
    if (!reply?.success) return { status: 502, failed: true }
    const { statusCode, body, headers } = reply.data
    return { status: statusCode, failed: false, body: body ?? undefined, headers: headers ?? {} }
  }

  const connect = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = (request.url ?? '').split('?')[0]?.replace(/\/$/, '')
    if (closed) return refuse(socket, 503)
    if (!deployment || path !== `/${deployment.stage}`) return refuse(socket, 403, { message: 'Forbidden' })
    if (!isHandshake(request)) return refuse(socket, 400, { message: 'Bad Request' })
    const facts = factsOf(request, deployment.apiId, deployment.stage)
    const requestId = newId()
    const route = deployment.routes.get('$connect')
    if (route) {
      const result = await run(route.integration, connectEvent(facts, requestId, request))
      if (result.status < 200 || result.status > 299) {
        const message = result.failed ? 'Internal server error' : undefined
        return refuse(socket, result.status, message && { message, connectionId: facts.id, requestId })
      }
      const chosen = Object.entries(result.headers ?? {}).find(([name]) => /^sec-websocket-protocol$/i.test(name))
      if (chosen) protocols.set(request, String(chosen[1]))
    }
    let opened = false
    if (!socket.destroyed && !closed) {
      let connection: Connection | undefined
      // Registered before the server's own listener, so that a frame is judged before it is a message.
      const onFrame = (bytes: number) => {
        if (bytes > limit.frameBytes && connection) cut(connection, 1009, 'Frame is too long')
      }
      socket.on('data', frameLengths(onFrame))
      server.handleUpgrade(request, socket, head, (webSocket) => {
        opened = true
        connection = open(facts, webSocket)
      })
    }
    // A client that has left while $connect ran was connected as far as the function knows.
    if (!opened) {
      socket.destroy()
      disconnect(facts, 1006, '')
    }
  }

  const manage = async (request: IncomingMessage) => {
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '')
    const [, id = ''] = /^\/[^/]+\/@connections\/([^/]+)$/.exec(path) ?? []
    if (!id) throw new AwsError('ForbiddenException', 'Forbidden', 403)
    if (!request.headers.authorization?.startsWith('AWS4-')) {
      throw new AwsError('MissingAuthenticationTokenException', 'Missing Authentication Token', 403)
    }
    const api = `arn:aws:execute-api:${region}:${ACCOUNT}:${deployment?.apiId}/${deployment?.stage}`
    const resource = `${api}/${request.method}/@connections/${id}`
    const need = { action: 'execute-api:ManageConnections', resource }
    const refusal = authorizer?.refusal(accessKeyOf(request.headers.authorization), [need])
    if (refusal) throw new AwsError('ForbiddenException', refusal.message, 403)
    const body = await readBody(request, DRAIN_LIMIT)
    const connection = connections.get(id)
    if (connection?.socket.readyState !== WebSocket.OPEN) throw new AwsError('GoneException', 'Gone', 410)
    if (request.method === 'POST') {
      if (!body || body.length > limit.messageBytes) {
        throw new AwsError('PayloadTooLargeException', 'Message too long', 413)
      }
      if (connection.socket.bufferedAmount + body.length > limit.unreadBytes) {
        throw new AwsError('LimitExceededException', 'The client does not read', 429)
      }
      write(connection, body)
      return { status: 200, headers: {}, body: '' }
    }
    if (request.method === 'DELETE') {
      cut(connection, 1000)
      return jsonResponse(204)
    }
    if (request.method !== 'GET') throw new AwsError('ForbiddenException', 'Forbidden', 403)
    const { connectedAt, identity } = connection.facts
    return jsonResponse(200, {
      connectedAt: new Date(connectedAt).toISOString(),
      identity,
      lastActiveAt: new Date(connection.lastActiveAt).toISOString(),
    })
  }

  return {
    stage: () => deployment?.stage,
    deploy: (next, by) => {
      if (!next || (deployment && next.apiId !== deployment.apiId)) {
        for (const connection of [...connections.values()]) cut(connection, 1001)
      }
      deployment = next
      invoke = by
    },
    upgrade: (request, socket, head) => {
      socket.on('error', () => socket.destroy())
      track(connect(request, socket, head))
    },
    request: async (request, response) => {
      const requestId = newId()
      try {
        send(response, await manage(request), requestId)
      } catch (error) {
        if (!(error instanceof AwsError)) throw error
        send(response, errorResponse.rest(error, requestId), requestId)
      }
    },
    close: async () => {
      closed = true
      const sockets = [...connections.values()].map((connection) => {
        cut(connection, 1001)
        return connection.socket
      })
      await Promise.race([Promise.all(underWay), sleep(CLOSE_MS, undefined, { ref: false })])
      for (const socket of sockets) socket.terminate()
      server.close()
    },
  }
}

const closeCodes = new Map<unknown, number>([
  ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 1009],
  ['WS_ERR_INVALID_UTF8', 1007],
])

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | 'timeout'> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), ms)
  })
  const first = await Promise.race([work, timeout])
  clearTimeout(timer)
  return first
}

/** The route that a message names, else `$default`. */
function routeOf({ routes, selection }: Deployment, body: string): [string, Route] | undefined {
  const named = selectedIn(body, selection)
  const own = named !== undefined && !named.startsWith('$') ? routes.get(named) : undefined
  if (own && named !== undefined) return [named, own]
  const other = routes.get('$default')
  return other && ['$default', other]
}

function selectedIn(body: string, selection: string[]): string | undefined {
  try {
    let at: unknown = JSON.parse(body)
    for (const key of selection) at = Object.hasOwn(Object(at), key) ? Object(at)[key] : undefined
    return typeof at === 'string' ? at : undefined
  } catch {
    return undefined
  }
}

/** A handshake that the server would refuse after $connect is refused before it. */
function isHandshake({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['sec-websocket-version'] === '13' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')
  )
}

function refuse(socket: Duplex, status: number, error?: object): void {
  const body = error ? JSON.stringify(error) : ''
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`,
    'connection: close',
    ...(error ? ['content-type: application/json'] : []),
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  socket.end([...lines, '', body].join('\r\n'))
}
