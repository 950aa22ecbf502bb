import type { Tokens } from '../../../app/ports/tokens.ts'
import { maxClientName } from '../../../domain/tokens/client-name.ts'
import { counted } from '../../adapters/engine.ts'
import { type McpWorld, openMcpWorld, rpc } from './mcp-world.ts'

let world: McpWorld
let tokens: Tokens

beforeAll(async () => {
  world = await openMcpWorld((mcp) => mcp, false)
  tokens = world.ports.tokens
})
afterAll(() => world.close())

const older = '2025-11-25'
const initialize = (name: unknown) => ({
  method: 'initialize',
  params: { protocolVersion: older, capabilities: {}, clientInfo: { name, version: '1' } },
})

/** A token and the requests of its program. */
async function program(headers: Record<string, string> = {}) {
  const { bearer, userId } = await world.tenant()
  const all = { authorization: `Bearer ${bearer}`, 'user-agent': 'node', ...headers }
  const ask = (message: object) => rpc(`${world.url}/mcp`, all, message)
  const client = async () => (await tokens.findByPlaintext(bearer))?.lastClient
  return { bearer, userId, headers: all, ask, client }
}
const callsOf = async (ask: () => Promise<unknown>) =>
  (await counted(ask)).calls.map(({ operation }) => operation).sort()

/** The admission reads a token and writes its user's rate window. */
const admitted = ['GetItem', 'UpdateItem']

describe('an MCP client’s name for itself', () => {
  test('is stored with the token, and stays after later calls', async () => {
    const { ask, client } = await program()
    expect(await client()).toBeUndefined()
    expect((await ask(initialize('cursor-vscode'))).status).toBe(200)
    expect(await client()).toBe('Cursor')
    expect((await ask({ method: 'tools/list' })).status).toBe(200)
    expect(await client()).toBe('Cursor')
  })

  test('determines the style of tool names, also in later requests', async () => {
    const { ask } = await program()
    const names = async () => {
      const { message } = await ask({ method: 'tools/list' })
      return JSON.stringify(message).includes('"wallet_balance"')
    }
    expect(await names()).toBe(false)
    await ask(initialize('cursor-vscode'))
    expect(await names()).toBe(true)
    await ask(initialize('claude-code'))
    expect(await names()).toBe(false)
  })

  test('costs one write when it is new, and none after that', async () => {
    const { ask } = await program()
    await ask({ method: 'tools/list' })
    expect(await callsOf(() => ask(initialize('Tide table')))).toEqual([...admitted, 'UpdateItem'])
    expect(await callsOf(() => ask(initialize('Tide table')))).toEqual(admitted)
    expect(await callsOf(() => ask({ method: 'tools/list' }))).toEqual(admitted)
    expect(await callsOf(() => ask(initialize('Another')))).toEqual([...admitted, 'UpdateItem'])
  })

  test('is taken from its User-Agent, written together with its first use', async () => {
    const { ask, client } = await program({ 'user-agent': 'claude-code/2.1.330 (cli)' })
    expect(await callsOf(() => ask(initialize('anything')))).toEqual([...admitted, 'UpdateItem'])
    expect(await callsOf(() => ask(initialize('anything')))).toEqual(admitted)
    expect(await client()).toBe('Claude Code')
  })

  test('in the newer revision is read from each message, and written once', async () => {
    const { ask, client } = await program({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' })
    const params = {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'New client', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }
    expect((await ask({ method: 'tools/list', params })).status).toBe(200)
    expect(await client()).toBe('New client')
    expect(await callsOf(() => ask({ method: 'tools/list', params }))).toEqual(admitted)
  })

  test.each([
    ['10,000 characters', 'x'.repeat(10_000), 'x'.repeat(maxClientName)],
    ['a reversed text', '\u202eevil', 'evil'],
    ['a value that is not a text', { toString: 'x' }, undefined],
    ['only invisible characters', '\u200b', undefined],
  ])('%s is stored as a short plain line, or not at all', async (_, said, kept) => {
    const { ask, client } = await program()
    await ask(initialize(said))
    expect(await client()).toBe(kept)
  })

  test('is omitted when the write fails, and the call still succeeds', async () => {
    const { ask, client } = await program()
    const { noteClient } = tokens
    let tried = 0
    tokens.noteClient = async () => {
      tried += 1
      throw new Error('the store is down')
    }
    try {
      expect((await ask(initialize('Tide table'))).status).toBe(200)
    } finally {
      tokens.noteClient = noteClient
    }
    expect([tried, await client()]).toEqual([1, undefined])
    await ask(initialize('Tide table'))
    expect(await client()).toBe('Tide table')
  })

  test('is not stored for an invalid token', async () => {
    const { ask, client, bearer } = await program()
    await ask(initialize('First'))
    const token = await tokens.findByPlaintext(bearer)
    await tokens.revoke(token?.id ?? '', new Date().toISOString())
    expect((await ask(initialize('Second'))).status).toBe(401)
    expect(await client()).toBe('First')
  })
})

describe('a program that later calls another way', () => {
  test('is named after its User-Agent, in the same write', async () => {
    const { headers, client, ask } = await program()
    await ask(initialize('Cursor'))
    const asCurl = { ...headers, 'user-agent': 'curl/8.5.0' }
    expect(await callsOf(() => fetch(`${world.url}/personas`, { headers: asCurl }))).toContain('UpdateItem')
    expect(await client()).toBe('curl')
  })

  test('does not keep the earlier name', async () => {
    const { headers, client, ask } = await program()
    await ask(initialize('Cursor'))
    await fetch(`${world.url}/personas`, { headers: { ...headers, 'user-agent': '' } })
    expect(await client()).toBeUndefined()
  })
})
