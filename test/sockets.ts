import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import WebSocket from 'ws'
import { type TableShape, tables } from '../adapters/dynamo/tables.ts'
import type { Ports } from '../adapters/ports.ts'
import type { Event } from '../domain/chat/event.ts'
import type { ReaderMessage } from '../domain/socket/message.ts'
import { PartJoiner } from '../domain/socket/parts.ts'
import { type Invoke, type Route, WebSocketApi } from '../emulators/aws/websocket/api.ts'
import { jobHandler } from '../lambdas/kit/job-handler.ts'
import { socketHandler } from '../lambdas/kit/socket-handler.ts'
import { pushArea } from '../lambdas/push/index.ts'
import { socketArea } from '../lambdas/socket/index.ts'
import { StreamSources } from '../local/events/streams.ts'
import type { Functions } from '../local/functions/functions.ts'
import type { Resource, Template } from '../local/template/template.ts'

/** A client of the socket: the messages that it received, and whether it is open. */
export async function connectSocket(url: string, headers: Record<string, string>) {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers })
  const got: (ReaderMessage | { type: string })[] = []
  const joiner = new PartJoiner()
  socket.on('message', (data) => {
    const message = joiner.receive(String(data)) as ReaderMessage | null // safe because the service sends these
    if (message) got.push(message)
  })
  const [status] = await Promise.race([
    once(socket, 'open').then(() => [101]),
    once(socket, 'unexpected-response').then(([, response]) => [response.statusCode]),
  ])
  const events = () =>
    got.flatMap((message) => (message.type === 'events' ? (message as { events: Event[] }).events : [])) // safe because that is their shape
  return {
    status,
    got,
    events,
    types: () => events().map(({ type }) => type),
    send: (message: object) => socket.send(JSON.stringify(message)),
    isOpen: () => socket.readyState === WebSocket.OPEN,
    close: () => socket.close(),
  }
}
export type SocketClient = Awaited<ReturnType<typeof connectSocket>>

const stage = 'socket'
const [socketArn, pushArn] = ['arn:aws:lambda:local:function:socket', 'arn:aws:lambda:local:function:push']

/** The local WebSocket API, which serves nobody before `serve` is called. */
export async function openSocketApi() {
  const faults: string[] = []
  const api = new WebSocketApi((line) => faults.push(line))
  const server = createServer((request, response) => void api.request(request, response))
  server.on('upgrade', (request, socket, head) => api.upgrade(request, socket, head))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const folder = mkdtempSync(join(tmpdir(), 'berth-streams-'))
  let stopSources = async () => {}
  let running = 0
  /** Events of connections that were fully handled. */
  const seen = { CONNECT: 0, MESSAGE: 0, DISCONNECT: 0 }

  /** Serves the product's routes over these ports; `follow` also runs the functions that the store's streams start. */
  async function serve(ports: Ports, follow: boolean, endpoint: string) {
    const handlers: Record<string, (event: never) => Promise<unknown>> = {
      [socketArn]: socketHandler(socketArea, ports),
      [pushArn]: jobHandler(pushArea, ports),
    }
    const invoke: Invoke = async (arn, event) => {
      running++
      try {
        return { ok: true, payload: await handlers[arn]?.(event as never) } // safe because each handler's own source made the event
      } catch (error) {
        faults.push(String(error))
        return { ok: false }
      } finally {
        running--
        const { eventType } = (event as { requestContext?: { eventType?: keyof typeof seen } }).requestContext ?? {} // safe because the property is only looked up
        if (eventType) seen[eventType]++
      }
    }
    const routes = ['$connect', '$disconnect', 'resume', 'missing', 'text'].map((key) => {
      const integration = { type: 'function', arn: socketArn, timeoutMs: 29_000 } as const
      return [key, { integration, responds: false }] as const
    })
    const mock = { integration: { type: 'mock', status: 200 }, responds: false } as const
    const deployment = {
      apiId: 'api',
      stage,
      selection: ['action'],
      routes: new Map<string, Route>([...routes, ['ping', mock]]),
    }
    api.deploy(deployment, invoke)
    if (!follow) return
    const functions = { invoke } as unknown as Functions // safe because only streams invoke functions
    const file = join(folder, 'streams.json')
    const sources = new StreamSources({
      template: streams,
      functions,
      endpoint,
      file,
      log: (line) => faults.push(line),
    })
    await sources.open()
    sources.start()
    stopSources = () => sources.stop()
  }

  return {
    url: `http://127.0.0.1:${port}/${stage}`,
    /** Errors of handlers that no test awaits. */
    faults,
    serve,
    /** The number of handled messages, or -1 while a handler still runs. */
    heard: () => (running === 0 ? seen.MESSAGE : -1),
    ended: () => (running === 0 ? seen.DISCONNECT : -1),
    async close() {
      await stopSources()
      await api.close()
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const resource = (type: string, name: string, properties: Resource['properties']): Resource => ({
  ...{ stack: '', logicalId: name, type, ref: name, name, metadata: {} },
  arn: type.includes('Lambda') ? pushArn : `arn:aws:dynamodb:us-east-1:000000000000:table/${name}`,
  properties,
})

const followed = Object.entries<TableShape>(tables).flatMap(([name, { stream }]) => (stream ? [name] : []))

/** The followed tables, and the mappings of their streams to the push function, without filters. */
const resources = followed.flatMap((name) => {
  const table = resource('AWS::DynamoDB::Table', name, {
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
  })
  const source = { EventSourceArn: `${table.arn}/stream/1`, FunctionName: pushArn, StartingPosition: 'LATEST' }
  return [table, resource('AWS::Lambda::EventSourceMapping', name, { ...source, MaximumRetryAttempts: 3 })]
})

const streams = {
  ofType: (...types: string[]) =>
    types.includes('AWS::Lambda::Function')
      ? [resource('AWS::Lambda::Function', pushArn, {})]
      : resources.filter(({ type }) => types.includes(type)),
} as unknown as Template // safe because mappings read only the resources
