import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { newestRevision, sessionRevisions } from '../../../lambdas/mcp/protocol.ts'
import { checkAnswer } from '../../service/contract.ts'
import { type McpTenant, type McpWorld, openMcpWorld } from './mcp-world.ts'

let world: McpWorld
let me: McpTenant
beforeAll(async () => {
  world = await openMcpWorld()
  me = await world.tenant()
})
afterAll(() => world.close())

const envelope = {
  'io.modelcontextprotocol/protocolVersion': newestRevision,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function send(method: string, headers: Record<string, string>, body?: string) {
  const given = { authorization: `Bearer ${await me.mint(['mcp:*'])}`, ...headers }
  const answer = await fetch(`${world.url}/mcp`, { method, headers: given, ...(body !== undefined && { body }) })
  const text = await answer.text()
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
  const message = data ? JSON.parse(data) : null
  checkAnswer(method, '/mcp', { status: answer.status, headers: answer.headers, body: message })
  return { status: answer.status, headers: answer.headers, message }
}

/** A request of 2026-07-28, changed by a row of the table. */
const newest = (
  method: string,
  params: object = {},
  { headers = {}, meta = envelope }: { headers?: Record<string, string>; meta?: object | null } = {},
) =>
  send(
    'POST',
    {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': newestRevision,
      'mcp-method': method,
      ...headers,
    },
    JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, ...(meta && { _meta: meta }) } }),
  )

test.each([
  ['a body that is not JSON', { 'content-type': 'text/plain' }, 415],
  ['a client that accepts neither of its types', { 'content-type': 'application/json', accept: 'text/html' }, 406],
])('%s is rejected with the protocol’s error, as documented', async (_, headers, status) => {
  const answer = await send('POST', headers as Record<string, string>, '{"jsonrpc":"2.0","id":1,"method":"ping"}')
  expect([answer.status, answer.message.jsonrpc]).toEqual([status, '2.0'])
})

describe('revision 2026-07-28', () => {
  test('is announced by server/discover, without a handshake', async () => {
    const { status, message } = await newest('server/discover')
    expect([status, message.id, message.result]).toEqual([
      200,
      7,
      expect.objectContaining({
        supportedVersions: [newestRevision],
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} },
      }),
    ])
  })

  test.each<[string, object, Record<string, string>, boolean]>([
    ['tools/list', {}, {}, true],
    ['resources/list', {}, {}, true],
    ['resources/templates/list', {}, {}, true],
    ['prompts/list', {}, {}, true],
    ['resources/read', { uri: 'berth://wallet' }, { 'mcp-name': 'berth://wallet' }, true],
    ['prompts/get', { name: 'set_up_my_agent' }, { 'mcp-name': 'set_up_my_agent' }, false],
    ['tools/call', { name: 'wallet.balance', arguments: {} }, { 'mcp-name': 'wallet.balance' }, false],
  ])(
    'answers %s completely, with the server’s name, and cacheable only for its user',
    async (method, params, headers, kept) => {
      const { status, headers: told, message } = await newest(method, params, { headers })
      expect([status, told.get('content-type'), told.get('mcp-session-id')]).toEqual([200, 'application/json', null])
      expect(message.result).toMatchObject({
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'berth' } },
        ...(kept && { ttlMs: 0, cacheScope: 'private' }),
      })
    },
  )

  const name = { name: 'wallet.balance', arguments: {} }
  const version = 'io.modelcontextprotocol/protocolVersion'
  test.each<[string, string, object, Parameters<typeof newest>[2], number, number]>([
    ['another method in the header', 'tools/list', {}, { headers: { 'mcp-method': 'tools/call' } }, 400, -32020],
    ['no method in the header', 'tools/list', {}, { headers: { 'mcp-method': '' } }, 400, -32020],
    ['another tool in the header', 'tools/call', name, { headers: { 'mcp-name': 'instance.pause' } }, 400, -32020],
    ['no tool in the header', 'tools/call', name, {}, 400, -32020],
    ['another revision in the body', 'tools/list', {}, { meta: { ...envelope, [version]: '2025-11-25' } }, 400, -32020],
    ['no envelope', 'tools/list', {}, { meta: null }, 400, -32602],
    ['half an envelope', 'tools/list', {}, { meta: { [version]: newestRevision } }, 400, -32602],
    [
      'a future revision',
      'tools/list',
      {},
      { headers: { 'mcp-protocol-version': '2030-01-01' }, meta: { ...envelope, [version]: '2030-01-01' } },
      400,
      -32022,
    ],
    ['an unknown method', 'nope/nope', {}, {}, 404, -32601],
    ['a handshake, which it no longer has', 'initialize', {}, {}, 404, -32601],
    ['a ping, which it no longer has', 'ping', {}, {}, 404, -32601],
    ['a subscription of the older kind', 'resources/subscribe', { uri: 'berth://wallet' }, {}, 404, -32601],
    ['a logging level, which is not announced', 'logging/setLevel', { level: 'debug' }, {}, 404, -32601],
    ['an invalid filter', 'subscriptions/listen', { notifications: 1 }, {}, 200, -32602],
    ['an unknown tool', 'tools/call', { name: 'nope' }, { headers: { 'mcp-name': 'nope' } }, 200, -32602],
  ])('answers %s with the protocol’s own error', async (_, method, params, change, status, code) => {
    const { status: got, message } = await newest(method, params, change)
    expect([got, message]).toEqual([status, { jsonrpc: '2.0', id: 7, error: expect.objectContaining({ code }) }])
  })

  // Check sep-2575-server-unsupported-version-error of https://github.com/modelcontextprotocol/conformance.
  test('lists the same revisions in server/discover and in the refusal of another revision', async () => {
    const { message: discovered } = await newest('server/discover', {})
    const { message } = await newest(
      'server/discover',
      {},
      { headers: { 'mcp-protocol-version': '2030-01-01' }, meta: { ...envelope, [version]: '2030-01-01' } },
    )
    expect(message.error.data).toEqual({
      supported: discovered.result.supportedVersions,
      requested: '2030-01-01',
    })
  })

  test.each(['GET', 'DELETE'])('has no %s', async (method) => {
    const { status, headers, message } = await send(method, {
      accept: 'text/event-stream',
      'mcp-protocol-version': newestRevision,
    })
    expect([status, headers.get('allow'), message]).toEqual([405, 'POST', expect.objectContaining({ jsonrpc: '2.0' })])
  })
})

describe('mcpClose', () => {
  test('succeeds without a session, for its own pages and for programs only', async () => {
    expect((await send('DELETE', {})).status).toBe(204)
    expect((await send('DELETE', { 'mcp-protocol-version': '2025-11-25' })).status).toBe(204)
    expect((await send('DELETE', { origin: 'https://evil.example' })).status).toBe(403)
  })
})

describe('an unknown revision', () => {
  test.each(['GET', 'DELETE'])('is rejected for %s like for POST', async (method) => {
    const { status, message } = await send(method, {
      accept: 'text/event-stream',
      'mcp-protocol-version': '1999-01-01',
    })
    expect([status, message.error.message]).toEqual([400, expect.stringContaining('1999-01-01')])
  })

  test('is every revision outside the protocol library’s list', () => {
    const older = SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision < newestRevision)
    expect([...sessionRevisions].sort()).toEqual(older.sort())
  })
})

describe('a hostile body', () => {
  const call = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
  test.each<[string, string]>([
    ['deep nesting', call(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)],
    ['deeply nested lists', '['.repeat(100_000)],
    ['a prototype', '{"__proto__":{"a":1},"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ['a tool called __proto__', call('{"name":"__proto__","arguments":{}}')],
    ['a tool called constructor', call('{"name":"constructor"}')],
    ['a very long name', call(`{"name":"${'x'.repeat(200_000)}"}`)],
    ['params that are a list', call('[]')],
    ['params that are null', call('null')],
    ['a response without a request', '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"notifications/none"}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['an empty text', '\u0000\uFFFE'],
    ['1 MiB of arguments', call(`{"name":"wallet.balance","arguments":{"a":"${'x'.repeat(1 << 20)}"}}`)],
  ])('%s: never a server error', async (_, body) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const { status, message } = await send('POST', headers, body)
    expect([200, 202, 400, 413]).toContain(status)
    if (status === 413) expect(message).toMatchObject({ error: 'too-large' })
    else if (status !== 202) expect(message).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
    expect(message?.error?.code).not.toBe(-32603)
  })

  test.each<[string, object]>([
    ['an unknown argument', { name: 'wallet.balance', arguments: { user: 'usr_other' } }],
    ['a path for an id', { name: 'skills.show', arguments: { id: '../../etc/passwd' } }],
    ['a list for an id', { name: 'personas.activate', arguments: { id: ['default'] } }],
    ['another user’s cursor', { name: 'wallet.transactions', arguments: { cursor: 'a.bbbbbbbbbbbbbbbbbbbbbb' } }],
    ['half a cent', { name: 'wallet.checkoutTopUp', arguments: { amountCents: 500.5 } }],
    ['an object for a model', { name: 'instance.setModel', arguments: { model: {} } }],
  ])('with %s gets a result that names the correction', async (_, params) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const { status, message } = await send('POST', headers, body)
    expect([status, message.result.isError]).toEqual([200, true])
    expect(JSON.parse(message.result.content[0].text)).toMatchObject({
      error: expect.stringMatching(/^(validation|not-found)$/),
      next: expect.any(String),
    })
  })

  test.each(['instance.pause', 'instance.resume'])('%s without an instance asks for no id', async (name) => {
    const authorization = `Bearer ${await (await world.tenant('deleted')).mint(['mcp:*'])}`
    const headers = { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })
    const { message } = await send('POST', headers, body)
    const told = JSON.parse(message.result.content[0].text)
    expect(told).toMatchObject({ error: 'not-found', next: expect.not.stringMatching(/\bid\b/) })
  })
})
