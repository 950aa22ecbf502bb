import type {
  APIGatewayEventWebsocketRequestContextV2,
  APIGatewayProxyWebsocketEventV2WithRequestContext,
} from 'aws-lambda'
import type { Rates } from '../../app/ports/rates.ts'
import type { Connections, Sockets } from '../../app/ports/socket.ts'
import { callerKindOf } from '../../domain/socket/connection.ts'
import { type ClientMessage, readClientMessage } from '../../domain/socket/message.ts'
import type { Area } from './area.ts'
import type { AuthPorts } from './authenticate.ts'
import { makeLogger, redactedStack } from './log-redaction.ts'
import { pipeline } from './pipeline.ts'
import type { HttpRequest } from './request.ts'
import type { AnySocketRoutes } from './socket.ts'

/** An event of any route; only `$connect` has headers, and an address. */
type SocketEvent = APIGatewayProxyWebsocketEventV2WithRequestContext<
  APIGatewayEventWebsocketRequestContextV2 & { identity?: { sourceIp?: string } }
> & { headers?: Record<string, string> }

/** For `$connect`, a status other than 2xx refuses the handshake. */
interface SocketResult {
  statusCode: number
  body?: string
}

/** Handshakes go through the pipeline like any request. */
export function socketHandler(
  area: Area & { socket?: AnySocketRoutes },
  deps: AuthPorts & { connections: Connections; rates: Rates; sockets: Sockets },
): (event: SocketEvent) => Promise<SocketResult> {
  const { socket } = area
  if (!socket) throw new Error(`the area ${area.name} has no routes of a socket`)
  const handle = pipeline({ ...area, operations: Object.values(socket.connect) }, deps)
  const logger = makeLogger(area.name, deps.settings)

  async function connect(event: SocketEvent): Promise<SocketResult> {
    const { status, body } = await handle(toRequest(event, socket?.connect as AnySocketRoutes['connect']))
    return { statusCode: status, body: typeof body === 'string' ? body : '' }
  }

  async function disconnect(id: string): Promise<void> {
    const connection = await deps.connections.find(id)
    if (!connection) return
    await deps.connections.close(connection)
    await socket?.disconnected({ connection, deps })
  }

  async function receive(id: string, message: ClientMessage): Promise<void> {
    const connection = await deps.connections.find(id)
    // Nothing is ever sent on a connection without a record. Its client connects again.
    if (!connection) return deps.sockets.end(id)
    const owner = { by: callerKindOf(connection), userId: connection.actor.userId }
    const { admitted } = await deps.rates.admit(owner, 'socket', deps.clock.now())
    if (admitted) await socket?.receive({ connection, message, deps })
  }

  return async (event) => {
    const { eventType, connectionId } = event.requestContext
    if (eventType === 'CONNECT') return connect(event)
    try {
      if (eventType === 'DISCONNECT') await disconnect(connectionId)
      // Unknown messages, for example of a later version, are ignored.
      const message = eventType === 'MESSAGE' ? readClientMessage(event.body ?? '') : null
      if (message) await receive(connectionId, message)
      return { statusCode: 200 }
    } catch (error) {
      logger.error('socket failed', { route: event.requestContext.routeKey, stack: redactedStack(error) })
      throw error
    }
  }
}

function toRequest(event: SocketEvent, connect: AnySocketRoutes['connect']): HttpRequest {
  const { requestId, connectionId, identity } = event.requestContext
  const headers = Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  const named: Record<string, string> = Object.fromEntries(headers)
  const isMachine = /^bearer +bmt_/i.test(named.authorization ?? '')
  const { path } = (isMachine ? connect.machines : connect.users).http
  return {
    id: requestId,
    ip: identity?.sourceIp ?? '',
    method: 'GET',
    headers: named,
    target: path,
    route: path,
    parameters: { connection: encodeURIComponent(connectionId) },
    query: {},
    body: '',
  }
}
