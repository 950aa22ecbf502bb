import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect as connectTcp } from 'node:net'
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi'
import { WebSocket as WsClient } from 'ws'
import { WebSocketApi } from '../../../emulators/aws/websocket/api.ts'
import { createFunctions } from '../../../local/functions/functions.ts'
import { apiBehaviors } from '../../../local/gateway/behaviors.ts'
import type { Gateway } from '../../../local/gateway/gateway.ts'
import { createGateway, sendPlain } from '../../../local/gateway/gateway.ts'
import { readSocketApi } from '../../../local/gateway/websocket-api.ts'
import type { Json, JsonObject } from '../../../local/template/json.ts'
import { readTemplate } from '../../../local/template/template.ts'
import { until } from '../../until.ts'
import { lambda, temporaryFolder, writeAssembly } from '../assembly.ts'

type Outcome = { ok: true; payload: unknown } | { ok: false }
// biome-ignore lint/suspicious/noExplicitAny: a test looks into events whose shape it asserts
type Event = any

const ok: Outcome = { ok: true, payload: { statusCode: 200 } }

const integration = (fn: string): JsonObject => ({
  Type: 'AWS::ApiGatewayV2::Integration',
  Properties: {
    ApiId: { Ref: 'Api' },
    IntegrationType: 'AWS_PROXY',
    IntegrationUri: {
      'Fn::Join': [
        '',
        [
          'arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/',
          { 'Fn::GetAtt': [fn, 'Arn'] },
          '/invocations',
        ],
      ],
    },
  },
})
const mock = (more: JsonObject = {}): JsonObject => ({
  Type: 'AWS::ApiGatewayV2::Integration',
  Properties: {
    ApiId: { Ref: 'Api' },
    IntegrationType: 'MOCK',
    RequestTemplates: { 200: '{"statusCode":200}' },
    TemplateSelectionExpression: '200',
    ...more,
  },
})
const route = (key: string, target: string, more: JsonObject = {}): JsonObject => ({
  Type: 'AWS::ApiGatewayV2::Route',
  Properties: {
    ApiId: { Ref: 'Api' },
    AuthorizationType: 'NONE',
    RouteKey: key,
    Target: { 'Fn::Join': ['/', ['integrations', { Ref: target }]] },
    ...more,
  },
})

const endpoint = (scheme: string): Json => ({
  'Fn::Join': [
    '',
    [
      `${scheme}://`,
      { Ref: 'Api' },
      '.execute-api.',
      { Ref: 'AWS::Region' },
      '.',
      { Ref: 'AWS::URLSuffix' },
      '/socket',
    ],
  ],
})

const resources: JsonObject = {
  Fn: lambda('one', {
    SOCKET_API: endpoint('https'),
    SOCKET: { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] },
    OTHER: 'https://x.example',
  }),
  Api: {
    Type: 'AWS::ApiGatewayV2::Api',
    Properties: { Name: 'S', ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.action' },
  },
  Stage: {
    Type: 'AWS::ApiGatewayV2::Stage',
    Properties: { ApiId: { Ref: 'Api' }, StageName: 'socket', AutoDeploy: true },
  },
  ToFn: integration('Fn'),
  Mock: mock(),
  Pong: mock(),
  Broken: mock({ RequestTemplates: {} }),
  PongText: {
    Type: 'AWS::ApiGatewayV2::IntegrationResponse',
    Properties: {
      ApiId: { Ref: 'Api' },
      IntegrationId: { Ref: 'Pong' },
      IntegrationResponseKey: '$default',
      ResponseTemplates: { 200: '{"pong":true}' },
      TemplateSelectionExpression: '200',
    },
  },
  Connect: route('$connect', 'ToFn'),
  Disconnect: route('$disconnect', 'ToFn'),
  Say: route('say', 'ToFn'),
  Ask: route('ask', 'ToFn', { RouteResponseSelectionExpression: '$default' }),
  Ping: route('ping', 'Mock'),
  PingPong: route('pingpong', 'Pong', { RouteResponseSelectionExpression: '$default' }),
  BrokenRoute: route('broken', 'Broken'),
  Distribution: {
    Type: 'AWS::CloudFront::Distribution',
    Properties: {
      DistributionConfig: {
        Origins: [
          {
            Id: 'socket',
            CustomOriginConfig: {},
            DomainName: { 'Fn::Select': [2, { 'Fn::Split': ['/', { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }] }] },
          },
        ],
        CacheBehaviors: [{ PathPattern: '/socket', TargetOriginId: 'socket' }],
      },
    },
  },
}

const templateWith = (more: JsonObject = {}) =>
  readTemplate(writeAssembly({ S: { resources: { ...resources, ...more } } }, { one: '' }))

let gateway: Gateway
let api: WebSocketApi
let url = ''
let port = 0
let events: Event[] = []
let handler: (event: Event) => Outcome | Promise<Outcome> = () => ok
const invoke = async (_: string, event: unknown) => {
  events.push(event)
  return handler(event)
}
const deploy = (more: JsonObject = {}, by = invoke) => api.deploy(readSocketApi(templateWith(more)), by)

async function start(limits: ConstructorParameters<typeof WebSocketApi>[1] = {}): Promise<void> {
  gateway = createGateway(() => {})
  port = await gateway.listen(0)
  url = `http://127.0.0.1:${port}`
  api = new WebSocketApi((line) => {
    throw new Error(line)
  }, limits)
  deploy()
  gateway.open({
    stage: 'api',
    behaviors: apiBehaviors(templateWith(), url),
    api: async (_, response) => sendPlain(response, { status: 200, headers: {}, body: 'api' }),
    socket: api,
    pages: async (_, response) => sendPlain(response, { status: 200, headers: {}, body: 'pages' }),
    local: async () => false,
  })
}
beforeEach(() => {
  events = []
  handler = () => ok
})
afterEach(async () => {
  await api.close()
  await gateway.close()
})

const ofType = (type: string): Event[] => events.filter(({ requestContext }) => requestContext.eventType === type)
const address = (path = '/socket') => `ws://127.0.0.1:${port}${path}`

interface Client {
  socket: WsClient
  id: string
  texts: string[]
  closed: Promise<[number, string]>
}
/** A connected client; its id is that of the last CONNECT. */
async function client(path?: string, options = {}): Promise<Client> {
  const socket = new WsClient(address(path), options)
  const texts: string[] = []
  socket.on('message', (data) => texts.push(data.toString()))
  const closed = once(socket, 'close').then(([code, reason]): [number, string] => [code, reason.toString()])
  await once(socket, 'open')
  return { socket, texts, closed, id: ofType('CONNECT').at(-1)?.requestContext.connectionId }
}
/** The status and body of a refused handshake. */
async function refused(path?: string, options = {}): Promise<[number | undefined, string]> {
  const socket = new WsClient(address(path), options)
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  let text = ''
  for await (const chunk of response) text += chunk
  return [response.statusCode, text]
}

const management = () =>
  new ApiGatewayManagementApiClient({
    endpoint: `${url}/socket`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })
const post = (ConnectionId: string, Data: string) =>
  management().send(new PostToConnectionCommand({ ConnectionId, Data }))

describe('the handshake', () => {
  beforeEach(() => start())

  test('reaches $connect in API Gateway’s shape, and is accepted by a 2xx', async () => {
    const { socket, id } = await client('/socket?a=1&a=2', {
      headers: { 'X-Two': 'two', cookie: 'c=1', origin: url, 'user-agent': 'test' },
    })
    expect(ofType('CONNECT')).toEqual([
      {
        headers: expect.objectContaining({ 'X-Two': 'two', 'X-Forwarded-For': '127.0.0.1', Host: `127.0.0.1:${port}` }),
        multiValueHeaders: expect.objectContaining({ cookie: ['c=1'], origin: [url] }),
        queryStringParameters: { a: '2' },
        multiValueQueryStringParameters: { a: ['1', '2'] },
        requestContext: {
          routeKey: '$connect',
          eventType: 'CONNECT',
          messageDirection: 'IN',
          stage: 'socket',
          apiId: expect.stringMatching(/^ws/),
          domainName: `127.0.0.1:${port}`,
          connectionId: expect.stringMatching(/^[\w-]{15}=$/),
          requestId: expect.any(String),
          extendedRequestId: expect.any(String),
          connectedAt: expect.any(Number),
          requestTimeEpoch: expect.any(Number),
          requestTime: expect.stringMatching(/^\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
          identity: { sourceIp: '127.0.0.1', userAgent: 'test' },
        },
        isBase64Encoded: false,
      },
    ])
    expect(id).toBeTruthy()
    socket.close()
  })

  test('without a query has no query', async () => {
    await client()
    expect(Object.keys(ofType('CONNECT')[0])).toEqual([
      'headers',
      'multiValueHeaders',
      'requestContext',
      'isBase64Encoded',
    ])
  })

  test.each<[string, Outcome, number, string]>([
    ['a status that is not 2xx, without its body', { ok: true, payload: { statusCode: 401, body: 'secret' } }, 401, ''],
    ['a function that throws', { ok: false }, 502, 'Internal server error'],
    ['an answer without a status', { ok: true, payload: {} }, 502, 'Internal server error'],
  ])('is refused by %s', async (_, outcome, status, message) => {
    handler = () => outcome
    const [code, body] = await refused()
    expect([code, body && JSON.parse(body).message]).toEqual([status, message])
    expect(events).toHaveLength(1)
  })

  test('ends in a $disconnect when the client gives up while $connect runs', async () => {
    const answer = Promise.withResolvers<Outcome>()
    handler = ({ requestContext }) => (requestContext.eventType === 'CONNECT' ? answer.promise : ok)
    const socket = new WsClient(address())
    socket.on('error', () => {})
    await until(() => ofType('CONNECT').length === 1)
    socket.terminate()
    answer.resolve(ok)
    await until(() => ofType('DISCONNECT').length === 1)
  })

  test('is not completed when the runner stops meanwhile, and ends in a $disconnect', async () => {
    const answer = Promise.withResolvers<Outcome>()
    handler = ({ requestContext }) => (requestContext.eventType === 'CONNECT' ? answer.promise : ok)
    const socket = new WsClient(address())
    const failed = once(socket, 'error')
    await until(() => ofType('CONNECT').length === 1)
    const closing = api.close()
    answer.resolve(ok)
    await failed
    await closing
    expect(ofType('DISCONNECT')).toHaveLength(1)
  })

  test('offers the protocol that $connect chose', async () => {
    handler = () => ({ ok: true, payload: { statusCode: 200, headers: { 'Sec-WebSocket-Protocol': 'b' } } })
    const socket = new WsClient(address(), ['a', 'b'])
    await once(socket, 'open')
    expect(socket.protocol).toBe('b')
  })

  test.each([
    ['another path of the stage', '/socket/deeper', {}, 403],
    ['another version', '/socket', { protocolVersion: 8 }, 400],
  ])('with %s is refused without calling a function', async (_, path, options, status) => {
    expect((await refused(path, options))[0]).toBe(status)
    expect(events).toEqual([])
  })

  test('with a foreign Host is refused without calling a function', async () => {
    expect((await refused('/socket', { headers: { host: 'evil.example' } }))[0]).toBe(403)
    expect(events).toEqual([])
  })

  test('works with Node’s own client too', async () => {
    const socket = new WebSocket(address())
    const received = new Promise((resolve) => socket.addEventListener('message', ({ data }) => resolve(data)))
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    await post(ofType('CONNECT')[0].requestContext.connectionId, 'hello ✓')
    expect(await received).toBe('hello ✓')
    socket.close()
  })
})

describe('other upgrades and requests', () => {
  beforeEach(() => start())

  test('an upgrade at another path is handled as the plain request that it also is', async () => {
    expect(await refused('/')).toEqual([200, 'pages'])
    expect(await refused('/api/x')).toEqual([200, 'api'])
  })

  test('an upgrade to another protocol is handled as a plain request', async () => {
    const [response] = await once(
      httpRequest(`${url}/api/x`, { headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' } }).end(),
      'response',
    )
    expect(response.statusCode).toBe(200)
    response.resume()
  })

  test('a plain request to the stage is forbidden', async () => {
    expect((await fetch(`${url}/socket`)).status).toBe(403)
  })
})

describe('messages', () => {
  beforeEach(() => start())

  test('go to the route that their action names', async () => {
    const { socket, id } = await client()
    socket.send('{"action":"say","text":"hi"}')
    await until(() => ofType('MESSAGE').length === 1)
    expect(ofType('MESSAGE')).toEqual([
      {
        requestContext: expect.objectContaining({
          routeKey: 'say',
          connectionId: id,
          messageId: expect.any(String),
          connectedAt: ofType('CONNECT')[0].requestContext.connectedAt,
        }),
        body: '{"action":"say","text":"hi"}',
        isBase64Encoded: false,
      },
    ])
  })

  test.each(['not json', '{"action":"ghost"}', '{"action":"$connect"}', '{"action":{}}', 'null'])(
    'such as %s are forbidden without $default, and go there with it',
    async (text) => {
      const { socket, texts, id } = await client()
      socket.send(text)
      await until(() => texts.length === 1)
      expect(JSON.parse(texts[0] ?? '')).toEqual({
        message: 'Forbidden',
        connectionId: id,
        requestId: expect.any(String),
      })
      expect(ofType('MESSAGE')).toEqual([])
      deploy({ Default: route('$default', 'ToFn') })
      socket.send(text)
      await until(() => ofType('MESSAGE').length === 1)
      expect(ofType('MESSAGE')[0].requestContext.routeKey).toBe('$default')
    },
  )

  test('to a mock start no function', async () => {
    const { socket, texts } = await client()
    for (const action of ['ping', 'pingpong', 'broken', 'say']) socket.send(JSON.stringify({ action }))
    await until(() => ofType('MESSAGE').length === 1 && texts.length === 2)
    expect(texts[0]).toBe('{"pong":true}')
    expect(JSON.parse(texts[1] ?? '').message).toBe('Internal server error')
    expect(ofType('MESSAGE').map(({ requestContext }) => requestContext.routeKey)).toEqual(['say'])
  })

  test('are answered where the route has a response', async () => {
    handler = () => ({ ok: true, payload: { statusCode: 200, body: 'answer' } })
    const { socket, texts } = await client()
    socket.send('{"action":"say"}')
    socket.send('{"action":"ask"}')
    await until(() => ofType('MESSAGE').length === 2 && texts.length === 1)
    expect(texts).toEqual(['answer'])
  })

  test.each<[string, Outcome]>([
    ['throws', { ok: false }],
    ['answers without a status', { ok: true, payload: null }],
  ])('to a function that %s get an error', async (_, outcome) => {
    const { socket, texts, id } = await client()
    handler = () => outcome
    socket.send('{"action":"say"}')
    await until(() => texts.length === 1)
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ message: 'Internal server error', connectionId: id })
  })

  test('on one connection are handled concurrently', async () => {
    const { socket } = await client()
    const second = Promise.withResolvers<Outcome>()
    handler = ({ body }) => {
      if (!body?.includes('2')) return second.promise
      second.resolve(ok)
      return ok
    }
    socket.send('{"action":"say","n":1}')
    socket.send('{"action":"say","n":2}')
    await second.promise
  })

  test('in binary close with 1003', async () => {
    const { socket, closed } = await client()
    socket.send(Buffer.from([1]))
    expect((await closed)[0]).toBe(1003)
    await until(() => ofType('DISCONNECT').length === 1)
    expect(ofType('DISCONNECT')[0].requestContext.disconnectStatusCode).toBe(1003)
    expect(ofType('MESSAGE')).toEqual([])
  })

  const say = (bytes: number) => `{"action":"say","x":"`.padEnd(bytes - 2, 'x').concat('"}')
  const inFrames = (socket: WsClient, text: string, frame: number) => {
    for (let at = 0; at < text.length; at += frame)
      socket.send(text.slice(at, at + frame), { fin: at + frame >= text.length })
  }

  test('with 128 KB in frames of 32 KB arrive whole', async () => {
    const { socket } = await client()
    inFrames(socket, say(128 * 1024), 32 * 1024)
    await until(() => ofType('MESSAGE').length === 1)
    expect(ofType('MESSAGE')[0].body).toHaveLength(128 * 1024)
  })

  test.each([
    ['one byte more', 128 * 1024 + 1, 32 * 1024],
    ['a frame of more than 32 KB', 32 * 1024 + 1, 32 * 1024 + 1],
  ])('with %s close with 1009', async (_, bytes, frame) => {
    const { socket, closed } = await client()
    inFrames(socket, say(bytes), frame)
    expect((await closed)[0]).toBe(1009)
    await until(() => ofType('DISCONNECT').length === 1)
    expect(ofType('DISCONNECT')[0].requestContext.disconnectStatusCode).toBe(1009)
    expect(ofType('MESSAGE')).toEqual([])
  })
})

describe('the end of a connection', () => {
  test.each<[string, (client: Client) => unknown, number, string]>([
    ['with code and reason', ({ socket }) => socket.close(4001, 'bye'), 4001, 'bye'],
    ['without a code', ({ socket }) => socket.close(), 1005, 'Client-side close frame status not set'],
    ['without a close frame', ({ socket }) => socket.terminate(), 1006, ''],
    [
      'by the service',
      ({ id }) => management().send(new DeleteConnectionCommand({ ConnectionId: id })),
      1000,
      'Connection Closed Normally',
    ],
  ])('%s reaches $disconnect once', async (_, leave, disconnectStatusCode, disconnectReason) => {
    await start()
    const connection = await client()
    await leave(connection)
    await connection.closed
    await until(() => ofType('DISCONNECT').length > 0)
    // All running handlers have ended after this.
    await api.close()
    expect(ofType('DISCONNECT')).toEqual([
      expect.objectContaining({
        requestContext: expect.objectContaining({
          routeKey: '$disconnect',
          connectionId: connection.id,
          disconnectStatusCode,
          disconnectReason,
        }),
      }),
    ])
  })

  test('has the code 1000 when the service deletes the connection', async () => {
    await start()
    const { closed, id } = await client()
    await management().send(new DeleteConnectionCommand({ ConnectionId: id }))
    expect((await closed)[0]).toBe(1000)
  })

  test('follows idleness, counted from the last message in either direction', async () => {
    await start({ idleMs: 300 })
    const idle = await client()
    const speaking = await client()
    const listening = await client()
    const timer = setInterval(() => {
      speaking.socket.send('{"action":"ping"}')
      void post(listening.id, 'x')
    }, 20)
    expect(await idle.closed).toEqual([1001, 'Going away'])
    expect([speaking.socket.readyState, listening.socket.readyState]).toEqual([WsClient.OPEN, WsClient.OPEN])
    clearInterval(timer)
    expect((await speaking.closed)[0]).toBe(1001)
    expect((await listening.closed)[0]).toBe(1001)
    await until(() => ofType('DISCONNECT').length === 3)
  })

  test('follows the maximum age, however busy the connection is', async () => {
    await start({ ageMs: 200 })
    const { socket, closed } = await client()
    const timer = setInterval(() => socket.send('{"action":"ping"}'), 20)
    expect((await closed)[0]).toBe(1001)
    clearInterval(timer)
  })

  test('follows even if the client answers no close frame', async () => {
    await start({ closeMs: 50 })
    const socket = connectTcp(port, '127.0.0.1')
    socket.write(
      `GET /socket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
    )
    await once(socket, 'data')
    socket.resume()
    await management().send(
      new DeleteConnectionCommand({ ConnectionId: ofType('CONNECT')[0].requestContext.connectionId }),
    )
    await once(socket, 'close')
  })

  test('follows for all connections when the runner stops', async () => {
    await start()
    const clients = [await client(), await client()]
    await api.close()
    expect(ofType('DISCONNECT')).toHaveLength(2)
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual([
      [1001, 'Going away'],
      [1001, 'Going away'],
    ])
    expect((await refused())[0]).toBe(503)
  })
})

describe('the management endpoint', () => {
  beforeEach(() => start())

  test('posts in order, and texts that are longer than a frame', async () => {
    const { texts, id, socket } = await client()
    let longestFrame = 0
    socket.on('message', (data) => {
      longestFrame = Math.max(longestFrame, Buffer.from(data.toString()).length)
    })
    for (let n = 0; n < 50; n++) await post(id, `${n}`)
    const long = 'é'.repeat(64 * 1024)
    await post(id, long)
    await until(() => texts.length === 51)
    expect(texts).toEqual([...Array.from({ length: 50 }, (_, n) => `${n}`), long])
    expect(longestFrame).toBe(128 * 1024)
  })

  test('gives the time of the connection, and of the last message in either direction', async () => {
    const { id, socket } = await client('/socket', { headers: { 'user-agent': 'test' } })
    const first = await management().send(new GetConnectionCommand({ ConnectionId: id }))
    expect(first).toMatchObject({
      ConnectedAt: new Date(ofType('CONNECT')[0].requestContext.connectedAt),
      Identity: { SourceIp: '127.0.0.1', UserAgent: 'test' },
      LastActiveAt: expect.any(Date),
    })
    socket.send('{"action":"ping"}')
    await until(async () => {
      const { LastActiveAt } = await management().send(new GetConnectionCommand({ ConnectionId: id }))
      return (LastActiveAt ?? 0) > (first.LastActiveAt ?? 0)
    })
  })

  test('does not find clients that are not, not yet, or no longer connected', async () => {
    const gone = { name: 'GoneException', $metadata: expect.objectContaining({ httpStatusCode: 410 }) }
    await expect(post('ghost=', 'x')).rejects.toMatchObject(gone)
    await expect(management().send(new GetConnectionCommand({ ConnectionId: 'ghost=' }))).rejects.toMatchObject(gone)
    await expect(management().send(new DeleteConnectionCommand({ ConnectionId: 'ghost=' }))).rejects.toMatchObject(gone)
    let early: unknown
    handler = async ({ requestContext }) => {
      if (requestContext.eventType === 'CONNECT')
        early = await post(requestContext.connectionId, 'x').catch((error) => error)
      return ok
    }
    const { id, socket } = await client()
    expect(early).toMatchObject(gone)
    await post(id, 'x')
    socket.close()
    await until(() => ofType('DISCONNECT').length === 1)
    await expect(post(id, 'x')).rejects.toMatchObject(gone)
  })

  test('accepts up to 128 KB', async () => {
    const { id } = await client()
    await post(id, 'x'.repeat(128 * 1024))
    await expect(post(id, 'x'.repeat(128 * 1024 + 1))).rejects.toMatchObject({
      name: 'PayloadTooLargeException',
      $metadata: expect.objectContaining({ httpStatusCode: 413 }),
    })
  })

  test('stops posting to a client that does not read', async () => {
    const { id, socket } = await client()
    socket.pause()
    const answers: unknown[] = []
    await until(async () => {
      answers.push(await post(id, 'x'.repeat(128 * 1024)).catch((error) => error.name))
      return answers.at(-1) === 'LimitExceededException'
    })
    socket.resume()
  })

  test('rejects unsigned requests', async () => {
    const { id } = await client()
    const answer = await fetch(`${url}/socket/@connections/${encodeURIComponent(id)}`, { method: 'POST', body: 'x' })
    expect(answer.status).toBe(403)
  })
})

describe('a redeploy', () => {
  test('keeps connections, and uses the new routes for them', async () => {
    await start()
    const { socket, id, texts } = await client()
    const newer: Event[] = []
    deploy({ New: route('new', 'ToFn') }, async (_, event) => {
      newer.push(event)
      return ok
    })
    socket.send('{"action":"new"}')
    await until(() => newer.length === 1)
    expect(newer[0].requestContext).toMatchObject({ routeKey: 'new', connectionId: id })
    await post(id, 'still there')
    await until(() => texts.length === 1)
  })

  test('without the API ends them', async () => {
    await start()
    const { closed } = await client()
    api.deploy(undefined, invoke)
    expect((await closed)[0]).toBe(1001)
    expect(await refused()).toEqual([200, 'api'])
  })
})

describe('the template', () => {
  beforeEach(() => start())

  test('gives functions the addresses that are served here', async () => {
    const source = 'exports.handler = async () => ({ ...process.env })'
    const template = readTemplate(writeAssembly({ S: { resources } }, { one: source }))
    const { host = '' } = readSocketApi(template) ?? {}
    const moved = { [`https://${host}`]: 'http://here', [`wss://${host}`]: 'ws://here' }
    const functions = createFunctions(template, temporaryFolder(), { added: {}, replaced: {}, moved })
    const arn = template.ofType('AWS::Lambda::Function')[0]?.arn ?? ''
    expect(await functions.invoke(arn, {})).toMatchObject({
      payload: { SOCKET_API: 'http://here/socket', SOCKET: 'ws://here', OTHER: 'https://x.example' },
    })
  })

  test.each<[string, JsonObject, string]>([
    [
      'an HTTP API',
      { Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } } },
      'one WebSocket API',
    ],
    [
      'a route selected by a header',
      {
        Api: {
          Type: 'AWS::ApiGatewayV2::Api',
          Properties: { ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.header.x' },
        },
      },
      'a field of the body',
    ],
    ['an authorizer', { Say: route('say', 'ToFn', { AuthorizationType: 'AWS_IAM' }) }, 'Say has an authorizer'],
    ['an HTTP integration', { Mock: mock({ IntegrationType: 'HTTP_PROXY' }) }, 'Mock is neither'],
    [
      'a missing target',
      { Say: { ...route('say', 'ToFn'), Properties: { RouteKey: 'say', Target: 'integrations/x' } } },
      'Say has no integration',
    ],
    [
      'a computed reply',
      {
        PongText: {
          Type: 'AWS::ApiGatewayV2::IntegrationResponse',
          Properties: { IntegrationId: { Ref: 'Pong' }, ResponseTemplates: { $default: '$context.requestId' } },
        },
      },
      'PongText computes',
    ],
  ])('%s is an error that names it', (_, more, named) => {
    expect(() => readSocketApi(templateWith(more))).toThrow(named)
  })

  test('without a WebSocket API is valid', () => {
    expect(readSocketApi(readTemplate(writeAssembly({ S: {} })))).toBeUndefined()
  })
})
