import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type McpTenant, type McpWorld, openMcpWorld, rpc } from './mcp-world.ts'

let world: McpWorld
let me: McpTenant

beforeAll(async () => {
  world = await openMcpWorld()
  me = await world.tenant()
})
afterAll(() => world.close())

const bearer = (token = me.bearer) => ({ authorization: `Bearer ${token}` })
const ask = (body: object | string, headers: Record<string, string> = {}) =>
  rpc(`${world.url}/mcp`, { ...bearer(), ...headers }, body)
const at = (query = '') => new URL(`${world.url}/mcp${query}`)

async function older(token = me.bearer, query = '') {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(at(query), { requestInit: { headers: bearer(token) } }))
  return client
}

async function newer(mode: 'auto' | 'legacy', token = me.bearer, name = 'test') {
  const client = new ModernClient({ name, version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(new ModernTransport(at(), { requestInit: { headers: bearer(token) } }))
  return client
}

const clients = [
  ['the first library’s client', older],
  ['the second library’s client on 2025-11-25', (token?: string) => newer('legacy', token)],
  ['the second library’s client on 2026-07-28', (token?: string) => newer('auto', token)],
] as const

describe('mcpRpc', () => {
  test.each(clients)('lists, calls, reads and prompts with %s', async (_, connect) => {
    const client = await connect()
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(13)
    const called = await client.callTool({ name: 'wallet.balance', arguments: {} })
    expect(called.structuredContent).toMatchObject({ balanceMicros: 0, currency: 'usd' })
    expect(called.content).toEqual([{ type: 'text', text: JSON.stringify(called.structuredContent) }])
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['berth://wallet', 'berth://instance', 'berth://skills/daily-brief']),
    )
    for (const { uri } of resources) {
      const [content] = (await client.readResource({ uri })).contents
      expect([uri, content]).toEqual([uri, expect.objectContaining({ uri, mimeType: 'application/json' })])
    }
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1)
    const { prompts } = await client.listPrompts()
    for (const { name } of prompts) expect((await client.getPrompt({ name })).messages).toHaveLength(1)
    expect(prompts).toHaveLength(3)
    await client.close()
  })

  test('serves the second library’s client with its chosen revision', async () => {
    const [auto, legacy] = [await newer('auto'), await newer('legacy')]
    expect(auto.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect(legacy.getNegotiatedProtocolVersion()).toBe('2025-11-25')
    await Promise.all([auto.close(), legacy.close()])
  })

  test('returns output that matches each tool’s schema, as the clients check', async () => {
    const client = await older()
    await client.listTools()
    const calls: [string, object][] = [
      ['wallet.transactions', {}],
      ['wallet.checkoutTopUp', { amountCents: 500 }],
      ['instance.status', {}],
      ['instance.setModel', { model: 'local/echo' }],
      ['personas.list', {}],
      ['personas.activate', { id: 'friendly-coach' }],
      ['personas.deactivate', { id: 'friendly-coach' }],
      ['skills.list', {}],
      ['skills.show', { id: 'daily-brief' }],
    ]
    for (const [name, args] of calls) {
      const answer = await client.callTool({ name, arguments: { ...args } })
      expect([name, answer.isError, answer.structuredContent]).toEqual([name, undefined, expect.any(Object)])
    }
    await client.close()
  })

  test('returns a checkout page for a top-up, and moves no money', async () => {
    const client = await older()
    const { structuredContent } = await client.callTool({
      name: 'wallet.checkoutTopUp',
      arguments: { amountCents: 5_000 },
    })
    expect(structuredContent).toMatchObject({ url: 'https://pay.example/cs_1' })
    expect((await client.callTool({ name: 'wallet.balance' })).structuredContent).toMatchObject({ balanceMicros: 0 })
    await client.close()
  })

  test('lists names with underscores on request, and for known clients by header or by name', async () => {
    const names = async (headers: object, params: object = {}, query = '') =>
      (await rpc(`${world.url}/mcp${query}`, { ...bearer(), ...headers }, { method: 'tools/list', params }))
        .message as unknown as { result: { tools: { name: string }[] } } // safe because the test fails on any other shape
    const first = async (...given: Parameters<typeof names>) => (await names(...given)).result.tools[0]?.name
    expect(await first({})).toBe('wallet.balance')
    expect(await first({}, {}, '?names=underscore')).toBe('wallet_balance')
    expect(await first({ 'user-agent': 'Claude-User' })).toBe('wallet_balance')
    expect(await first({ 'user-agent': 'Claude-User' }, {}, '?names=dots')).toBe('wallet.balance')
    const known = await newer('auto', me.bearer, 'cursor-vscode')
    expect((await known.listTools()).tools[0]?.name).toBe('wallet_balance')
    expect((await known.callTool({ name: 'wallet.balance' })).isError).toBeUndefined()
    const { messages } = await known.getPrompt({ name: 'what_is_my_agent_doing' })
    expect(JSON.stringify(messages)).toContain('instance_status')
    await known.close()
  })

  test('returns a domain error as a result with the next step, and an unknown tool as the protocol’s error', async () => {
    const client = await older()
    const unknown = await client.callTool({ name: 'personas.activate', arguments: { id: 'nobody' } })
    expect([unknown.isError, JSON.stringify(unknown.content)]).toEqual([true, expect.stringContaining('personas.list')])
    const wrong = await client.callTool({ name: 'wallet.checkoutTopUp', arguments: { amountCents: 1 } })
    expect([wrong.isError, JSON.stringify(wrong.content)]).toEqual([true, expect.stringContaining('amountCents')])
    await expect(client.callTool({ name: 'wallet.steal' })).rejects.toThrow('Unknown tool')
    await client.close()
  })

  test('accepts the dashboard’s session only from its own pages', async () => {
    const session = (origin: object) =>
      rpc(`${world.url}/mcp`, { cookie: me.cookie, ...origin }, { method: 'tools/list' })
    expect((await session({ origin: 'http://localhost' })).status).toBe(200)
    expect((await session({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await session({})).status).toBe(403)
  })

  test.each([
    ['https://evil.example', 403],
    ['http://localhost:6274', 403],
    ['null', 403],
    ['http://localhost', 200],
    ['vscode-file://vscode-app', 200],
  ])('called with a token from origin %s returns %d', async (origin, status) => {
    expect((await ask({ method: 'ping' }, { origin })).status).toBe(status)
  })

  test.each<[string, string, Record<string, string>, number]>([
    ['an empty body', '', {}, 400],
    ['invalid JSON', '{', {}, 400],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', {}, 400],
    ['an empty batch', '[]', {}, 400],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', {}, 400],
    ['a text', '"x"', {}, 400],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"nope"}', {}, 200],
    ['an unknown version', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['an Accept header without streams', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { accept: 'text/html' }, 406],
    ['another content type', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { 'content-type': 'text/plain' }, 415],
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/initialized"}', {}, 202],
    [
      'an unknown cursor',
      '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"berth://nope"}}',
      {},
      200,
    ],
  ])('called with %s returns the protocol’s own error', async (_, body, headers, status) => {
    const answer = await ask(body, headers)
    expect(answer.status).toBe(status)
    if (status !== 202) expect(answer.message).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
  })

  // https://github.com/agentgateway/agentgateway/issues/3578
  test.each([2 ** 20, 4 * 2 ** 20])('a message of more than %i bytes returns 413 in the API’s shape', async (bytes) => {
    const answer = await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', x: 'x'.repeat(bytes) }), {})
    expect(answer).toMatchObject({
      status: 413,
      message: { error: 'too-large', message: expect.stringContaining('at most') },
    })
  })

  test.each(clients)('a message that is too large is reported by %s', async (_, connect) => {
    const client = await connect()
    const asked = { name: 'instance.setModel', arguments: { model: 'x'.repeat(2 ** 20) } }
    await expect(client.callTool(asked)).rejects.toThrow('A message has at most 1 MB. Send less in one call.')
    await client.close()
  })
})

/** The response to a message: its status, type and message. */
async function answerTo(message: object, headers: Record<string, string>) {
  const response = await fetch(`${world.url}/mcp`, {
    method: 'POST',
    headers: { ...bearer(), 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })
  const text = await response.text()
  const type = response.headers.get('content-type')?.split(';')[0]
  return { status: response.status, type, message: JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) }
}

// https://github.com/modelcontextprotocol/typescript-sdk/issues/1944, https://github.com/anthropics/claude-code/issues/45368,
// https://github.com/arabold/docs-mcp-server/issues/349, https://github.com/vercel/vercel-mcp-overview/issues/1
describe('the Accept header follows RFC 9110', () => {
  const json = 'application/json'
  const events = 'text/event-stream'
  test.each([
    ['*/*', 200, json],
    [json, 200, json],
    ['APPLICATION/JSON', 200, json],
    ['APPLICATION/JSON, TEXT/EVENT-STREAM', 200, events],
    ['application/json, application/mcp+json', 200, json],
    ['application/json;q=0.9, */*;q=0.1', 200, json],
    ['application/*', 200, json],
    ['*/*, text/event-stream;q=0', 200, json],
    [events, 200, events],
    ['text/html', 406, json],
    ['application/json;q=0', 406, json],
  ])('for %s: %d, %s', async (accept, status, type) => {
    const list = await answerTo({ method: 'tools/list' }, { accept })
    expect([list.status, list.type]).toEqual([status, type])
    if (status === 200) expect(list.message).toMatchObject({ id: 1, result: { tools: expect.any(Array) } })
    else expect(list.message).toMatchObject({ id: 1, error: { code: -32_000 } })
  })

  test('in the newest revision too', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const newest = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    const list = { method: 'tools/list', params: { _meta: meta } }
    for (const [accept, type] of [
      ['*/*', json],
      [json, json],
      [events, events],
    ] as const) {
      const answer = await answerTo(list, { ...newest, accept })
      expect([answer.status, answer.type, answer.message.result?.tools.length]).toEqual([200, type, expect.any(Number)])
    }
    const listen = { method: 'subscriptions/listen', params: { _meta: meta, notifications: {} } }
    const only = { ...newest, 'mcp-method': 'subscriptions/listen', accept: json }
    expect(await answerTo(listen, only)).toMatchObject({ status: 406, message: { id: 1, error: { code: -32_000 } } })
  })
})

// https://github.com/modelcontextprotocol/typescript-sdk/issues/2012, https://github.com/chaitin/MonkeyCode/pull/1268,
// https://github.com/KeeperHub/keeperhub/issues/2108
describe('a null parameter counts as absent', () => {
  const accept = '*/*'
  const balance = { structuredContent: { balanceMicros: expect.any(Number) } }
  test.each([
    ['tools/call', { name: 'wallet.balance', arguments: null }, balance],
    ['tools/call', { name: 'wallet.balance', arguments: null, _meta: null }, balance],
    ['tools/call', { name: 'wallet.transactions', arguments: { cursor: null, limit: null } }, { isError: undefined }],
    ['tools/list', null, { tools: expect.any(Array) }],
    ['tools/list', { cursor: null }, { tools: expect.any(Array) }],
    ['tools/list', { cursor: '' }, { tools: expect.any(Array) }],
    ['resources/list', { cursor: null }, { resources: expect.any(Array) }],
    ['prompts/get', { name: 'explain_cost_today', arguments: null }, { messages: expect.any(Array) }],
  ])('in %s %j', async (method, params, result) => {
    const { message } = await answerTo({ method, params }, { accept })
    expect(message.error).toBeUndefined()
    expect({ isError: undefined, ...message.result }).toMatchObject(result)
  })

  test('but a required argument that is null is missing', async () => {
    const call = { method: 'tools/call', params: { name: 'skills.show', arguments: { id: null } } }
    expect((await answerTo(call, { accept })).message.result).toMatchObject({ isError: true })
  })
})

// https://github.com/affaan-m/ECC/pull/2869
test.each(['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])(
  '%s rejects a cursor that no list returned',
  async (method) => {
    const { status, message } = await answerTo({ method, params: { cursor: 'bmV4dA' } }, { accept: '*/*' })
    expect([status, message.error.code]).toEqual([200, -32_602])
  },
)

describe('the scopes of a token', () => {
  test('hide other tools, and a call of a hidden tool returns 403 in the error shape', async () => {
    const token = await me.mint(['mcp:wallet.read'])
    const client = await older(token)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['wallet.balance', 'wallet.transactions'])
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['berth://wallet'])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
    expect((await client.listPrompts()).prompts).toEqual([])
    await client.close()
    for (const [method, params] of [
      ['tools/call', { name: 'instance.pause' }],
      ['tools/call', { name: 'instance_pause' }],
      ['resources/read', { uri: 'berth://instance' }],
      ['resources/read', { uri: 'berth://skills/daily-brief' }],
      ['resources/subscribe', { uri: 'berth://instance' }],
      ['prompts/get', { name: 'what_is_my_agent_doing' }],
    ] as const) {
      const { status, message } = await ask({ method, params }, bearer(token))
      expect([method, status, message]).toEqual([method, 403, expect.objectContaining({ error: 'forbidden' })])
    }
  })

  test('never apply to a bad token, which returns 401 even with a good cookie', async () => {
    const { status, message } = await ask({ method: 'ping' }, { ...bearer('oss_nonsense'), cookie: me.cookie })
    expect([status, message]).toEqual([401, expect.objectContaining({ error: 'unauthorized' })])
  })
})
