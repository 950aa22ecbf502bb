/** API Gateway's WebSocket APIs: connections, routes to functions, and the management endpoint of a stage. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket, WebSocketServer } from 'ws'
import { type Authorizer, accessKeyOf } from '../authorization.ts'
import { ACCOUNT, AwsError, type AwsResponse, errorResponse, jsonResponse, readBody, send } from '../protocols.ts'
import { Connection, limits } from './connection.ts'
import type { ConnectionFacts } from './events.ts'
import { connectEvent, disconnectEvent, factsOf, messageEvent, newId } from './events.ts'
import { frameLengths } from './frame-lengths.ts'
import { answerOf, type Deployment, type Invoke, routeOf } from './integration.ts'

export type { Deployment, Integration, Invoke, Route } from './integration.ts'
export { limits }

/** Bytes of a post that are read before it is refused. */
const DRAIN_LIMIT = 10 * 1024 * 1024
const CLOSE_MS = 2000

export class WebSocketApi {
  readonly #log: (line: string) => void
  readonly #limit: typeof limits
  readonly #authorizer: Pick<Authorizer, 'refusal'> | undefined
  readonly #region: string
  readonly #connections = new Map<string, Connection>()
  readonly #underWay = new Set<Promise<unknown>>()
  /** The protocol that $connect chose for a handshake. */
  readonly #protocols = new WeakMap<IncomingMessage, string>()
  readonly #server: WebSocketServer
  #deployment: Deployment | undefined
  #invoke: Invoke = async () => ({ ok: false })
  #closed = false

  /** With an `authorizer`, managing connections requires `execute-api:ManageConnections` on them. */
  constructor(
    log: (line: string) => void,
    given: Partial<typeof limits> = {},
    authorizer?: Pick<Authorizer, 'refusal'>,
    region = 'us-east-1',
  ) {
    this.#log = log
    this.#limit = { ...limits, ...given }
    this.#authorizer = authorizer
    this.#region = region
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: this.#limit.messageBytes,
      // A client that asks for a protocol gets the one that $connect chose, or none.
      handleProtocols: (_, request) => this.#protocols.get(request) ?? false,
    })
  }

  /** The stage that is served; undefined while there is no deployment. */
  stage(): string | undefined {
    return this.#deployment?.stage
  }

  /** Routes by this deployment from now on. Connections stay, unless there is none, or one of another API. */
  deploy(next: Deployment | undefined, invoke: Invoke): void {
    if (!next || (this.#deployment && next.apiId !== this.#deployment.apiId))
      for (const connection of [...this.#connections.values()]) connection.cut(1001)
    this.#deployment = next
    this.#invoke = invoke
  }

  /** Takes an upgrade to the stage. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    this.#track(this.#connect(request, socket, head))
  }

  /** Answers any other request to the stage: `/<stage>/@connections/{id}` is its management endpoint. */
  async request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = newId()
    try {
      send(response, await this.#manage(request), requestId)
    } catch (error) {
      if (!(error instanceof AwsError)) throw error
      send(response, errorResponse.rest(error, requestId), requestId)
    }
  }

  /** Ends every connection, and waits for what functions are doing, 2 s at most. */
  async close(): Promise<void> {
    this.#closed = true
    const connections = [...this.#connections.values()]
    for (const connection of connections) connection.cut(1001)
    await Promise.race([Promise.all(this.#underWay), sleep(CLOSE_MS, undefined, { ref: false })])
    for (const { socket } of connections) socket.terminate()
    this.#server.close()
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const path = (request.url ?? '').split('?')[0]?.replace(/\/$/, '')
    const deployment = this.#deployment
    if (this.#closed) return refuse(socket, 503)
    if (!deployment || path !== `/${deployment.stage}`) return refuse(socket, 403, { message: 'Forbidden' })
    if (!isHandshake(request)) return refuse(socket, 400, { message: 'Bad Request' })
    const facts = factsOf(request, deployment.apiId, deployment.stage)
    const requestId = newId()
    const route = deployment.routes.get('$connect')
    if (route) {
      const result = await answerOf(route.integration, connectEvent(facts, requestId, request), this.#invoke)
      if (result.status < 200 || result.status > 299) {
        const message = result.failed ? 'Internal server error' : undefined
        return refuse(socket, result.status, message && { message, connectionId: facts.id, requestId })
      }
      const chosen = Object.entries(result.headers ?? {}).find(([name]) => /^sec-websocket-protocol$/i.test(name))
      if (chosen) this.#protocols.set(request, String(chosen[1]))
    }
    if (this.#open(facts, request, socket, head)) return
    // A client that has left while $connect ran was connected as far as the function knows.
    socket.destroy()
    this.#disconnect(facts, 1006, '')
  }

  /** False when the client has left, or the API is closed. */
  #open(facts: ConnectionFacts, request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (socket.destroyed || this.#closed) return false
    let connection: Connection | undefined
    // Registered before the server's own listener, so that a frame is judged before it is a message.
    const onFrame = (bytes: number) => {
      if (bytes > this.#limit.frameBytes) connection?.cut(1009, 'Frame is too long')
    }
    socket.on('data', frameLengths(onFrame))
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const opened = new Connection(facts, webSocket, this.#limit, {
        message: (text) => this.#track(this.#receive(opened, text)),
        end: (code, reason) => {
          this.#connections.delete(facts.id)
          this.#disconnect(facts, code, reason)
        },
      })
      this.#connections.set(facts.id, opened)
      connection = opened
    })
    return connection !== undefined
  }

  /** Messages of one connection do not wait for each other. */
  async #receive(connection: Connection, body: string): Promise<void> {
    const { facts } = connection
    const requestId = newId()
    const fail = (message: string) =>
      connection.write(Buffer.from(JSON.stringify({ message, connectionId: facts.id, requestId })))
    const found = this.#deployment && routeOf(this.#deployment, body)
    if (!found) return fail('Forbidden')
    const [routeKey, { integration, responds }] = found
    const result = await answerOf(integration, messageEvent(facts, requestId, routeKey, body), this.#invoke)
    if (result.failed) return fail('Internal server error')
    if (responds && result.body) connection.write(Buffer.from(result.body))
  }

  #disconnect(facts: ConnectionFacts, code: number, reason: string): void {
    const integration = this.#deployment?.routes.get('$disconnect')?.integration
    if (integration?.type === 'function')
      this.#track(this.#invoke(integration.arn, disconnectEvent(facts, code, reason)))
  }

  async #manage(request: IncomingMessage): Promise<AwsResponse> {
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '')
    const [, id = ''] = /^\/[^/]+\/@connections\/([^/]+)$/.exec(path) ?? []
    if (!id) throw new AwsError('ForbiddenException', 'Forbidden', 403)
    this.#authorize(request, id)
    const body = await readBody(request, DRAIN_LIMIT)
    const connection = this.#connections.get(id)
    if (connection?.socket.readyState !== WebSocket.OPEN) throw new AwsError('GoneException', 'Gone', 410)
    switch (request.method) {
      case 'POST':
        this.#post(connection, body)
        return { status: 200, headers: {}, body: '' }
      case 'DELETE':
        connection.cut(1000)
        return jsonResponse(204)
      case 'GET': {
        const { connectedAt, identity } = connection.facts
        return jsonResponse(200, {
          connectedAt: new Date(connectedAt).toISOString(),
          identity,
          lastActiveAt: new Date(connection.lastActiveAt).toISOString(),
        })
      }
      default:
        throw new AwsError('ForbiddenException', 'Forbidden', 403)
    }
  }

  #authorize({ headers, method }: IncomingMessage, id: string): void {
    if (!headers.authorization?.startsWith('AWS4-'))
      throw new AwsError('MissingAuthenticationTokenException', 'Missing Authentication Token', 403)
    const { apiId, stage } = this.#deployment ?? {}
    const resource = `arn:aws:execute-api:${this.#region}:${ACCOUNT}:${apiId}/${stage}/${method}/@connections/${id}`
    const need = { action: 'execute-api:ManageConnections', resource }
    const refusal = this.#authorizer?.refusal(accessKeyOf(headers.authorization), [need])
    if (refusal) throw new AwsError('ForbiddenException', refusal.message, 403)
  }

  #post(connection: Connection, body: Buffer | undefined): void {
    if (!body || body.length > this.#limit.messageBytes)
      throw new AwsError('PayloadTooLargeException', 'Message too long', 413)
    if (connection.socket.bufferedAmount + body.length > this.#limit.unreadBytes)
      throw new AwsError('LimitExceededException', 'The client does not read', 429)
    connection.write(body)
  }

  #track(work: Promise<unknown>): void {
    const tracked = work
      .catch((error) => this.#log(`WebSocket API: ${error instanceof Error ? error.stack : error}`))
      .finally(() => this.#underWay.delete(tracked))
    this.#underWay.add(tracked)
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
