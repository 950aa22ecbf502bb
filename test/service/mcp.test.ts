import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { api, call, signIn } from './client.ts'

const mint = async (scopes: string[]) =>
  (await call('POST', '/tokens', { name: 'mcp', scopes }, await signIn())).body.plaintext
const headers = (bearer: string) => ({ requestInit: { headers: { authorization: `Bearer ${bearer}` } } })

async function connect(bearer: string, query = '') {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api}/mcp${query}`), headers(bearer)))
  return client
}

const rpc = (bearer: string, method: string, params: object = {}) =>
  fetch(`${api}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })

describe('mcpRpc', () => {
  test('lists only the tools of the token’s scopes', async () => {
    const client = await connect(await mint(['mcp:wallet.read']))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['wallet.balance', 'wallet.transactions'])
    await client.close()
  })

  test('returns HTTP 403 in the error shape for a tool beyond the scopes, and 401 for a bad token', async () => {
    const refused = await rpc(await mint(['mcp:wallet.read']), 'tools/call', { name: 'instance.pause', arguments: {} })
    expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ error: 'forbidden' })])
    const bad = await rpc('oss_nonsense', 'tools/list')
    expect([bad.status, await bad.json()]).toEqual([401, expect.objectContaining({ error: 'unauthorized' })])
  })

  test('always accepts tool names with underscores and lists them on request', async () => {
    const bearer = await mint(['mcp:wallet.read'])
    const client = await connect(bearer, '?names=underscore')
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['wallet_balance', 'wallet_transactions'])
    expect((await client.callTool({ name: 'wallet_balance', arguments: {} })).structuredContent).toMatchObject({
      balanceMicros: 0,
    })
    await client.close()
  })

  test('returns a business error as a result with the next step', async () => {
    const client = await connect(await mint(['mcp:*']))
    const result = await client.callTool({ name: 'instance.pause', arguments: {} })
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain('Subscribe to a plan')
    const wrong = await client.callTool({ name: 'wallet.checkoutTopUp', arguments: { amountCents: 1 } })
    expect([wrong.isError, JSON.stringify(wrong.content)]).toEqual([true, expect.stringContaining('amountCents')])
    await client.close()
  })

  test('serves the newer revision’s client too', async () => {
    const client = new ModernClient({ name: 'test', version: '1.0.0' })
    await client.connect(new ModernTransport(new URL(`${api}/mcp`), headers(await mint(['mcp:*']))))
    expect((await client.listTools()).tools).toHaveLength(13)
    await client.close()
  })

  test('returns the protocol’s own error for a body that is not JSON-RPC, never a 5xx', async () => {
    const bearer = await mint(['mcp:*'])
    for (const body of ['', '{', '[]', '{"jsonrpc":"1.0"}', '"x"']) {
      const answer = await call('POST', '/mcp', body, { bearer }, { accept: 'application/json, text/event-stream' })
      expect([body, answer.status < 500]).toEqual([body, true])
    }
  })
})

describe('mcpEventStream', () => {
  test('streams, and only with a token', async () => {
    expect((await call('GET', '/mcp')).status).toBe(401)
    const leave = new AbortController()
    const answer = await fetch(`${api}/mcp`, {
      headers: { authorization: `Bearer ${await mint(['mcp:*'])}`, accept: 'text/event-stream' },
      signal: leave.signal,
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    leave.abort()
  })
})

describe('mcpClose', () => {
  test('has nothing to close', async () => {
    expect((await call('DELETE', '/mcp', undefined, { bearer: await mint(['mcp:*']) })).status).toBe(204)
  })
})
