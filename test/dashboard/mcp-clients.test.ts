import * as z from 'zod'
import {
  clientIds,
  clientNames,
  clientOf,
  isConnection,
  isPublic,
  signInWay,
  tokenWay,
} from '../../dashboard/connect/mcp-clients.ts'

const origin = 'https://berth.example'
const token = `oss_${'0'.repeat(36)}`

/** A remote server in Cursor's `mcp.json` (https://cursor.com/docs/mcp). */
const cursorServer = z.strictObject({ url: z.url(), headers: z.record(z.string(), z.string()).optional() })
/**
 * A server with its name, as `code --add-mcp` accepts it
 * (https://code.visualstudio.com/docs/copilot/reference/mcp-configuration).
 */
const vscodeServer = z.strictObject({
  name: z.string(),
  type: z.enum(['http', 'sse', 'stdio']),
  url: z.url(),
  headers: z.record(z.string(), z.string()).optional(),
})

function readCursor(href = ''): { name: string | null; config: z.infer<typeof cursorServer> } {
  const link = new URL(href)
  expect(`${link.protocol}//${link.host}${link.pathname}`).toBe('cursor://anysphere.cursor-deeplink/mcp/install')
  const { searchParams } = link
  expect([...searchParams.keys()]).toEqual(['name', 'config'])
  const text = Buffer.from(searchParams.get('config') ?? '', 'base64').toString('utf8')
  return { name: searchParams.get('name'), config: cursorServer.parse(JSON.parse(text)) }
}

function readVscode(href = ''): z.infer<typeof vscodeServer> {
  const [begin, query = ''] = href.split('?')
  expect(begin).toBe('vscode:mcp/install')
  return vscodeServer.parse(JSON.parse(decodeURIComponent(query)))
}

describe('instructions for connecting a client', () => {
  test('give Cursor a link that decodes to a server of its settings', () => {
    expect(readCursor(signInWay('cursor', origin).href)).toEqual({
      name: 'berth',
      config: { url: `${origin}/api/mcp` },
    })
    expect(readCursor(tokenWay('cursor', origin, token)?.href).config).toEqual({
      url: `${origin}/api/mcp-token?names=underscore`,
      headers: { Authorization: `Bearer ${token}` },
    })
  })

  test('give VS Code a link that decodes to an argument of --add-mcp', () => {
    expect(readVscode(signInWay('vscode', origin).href)).toEqual({
      name: 'berth',
      type: 'http',
      url: `${origin}/api/mcp`,
    })
    expect(readVscode(tokenWay('vscode', origin, token)?.href).headers).toEqual({ Authorization: `Bearer ${token}` })
  })

  test('give claude.ai the dialog with name and address filled in', () => {
    const link = new URL(signInWay('claude', origin).href ?? '')
    expect(`${link.origin}${link.pathname}`).toBe('https://claude.ai/customize/connectors')
    expect(Object.fromEntries(link.searchParams)).toEqual({
      modal: 'add-custom-connector',
      connectorName: 'Berth',
      connectorUrl: `${origin}/api/mcp`,
    })
  })

  test.each(clientIds)('give %s this service’s own address, and no token for signing in', (id) => {
    const { href = '', text = '' } = signInWay(id, origin)
    const config = href.startsWith('cursor:') ? readCursor(href).config.url : ''
    expect(`${decodeURIComponent(href)} ${text} ${config}`).toContain(`${origin}/api/mcp`)
    expect(href + text).not.toContain('oss_')
  })

  test.each(clientIds.filter((id) => id !== 'claude' && id !== 'chatgpt'))(
    'can give %s a token, at the address without a challenge',
    (id) => {
      const way = tokenWay(id, origin, token)
      const config = way?.href?.startsWith('cursor:') ? JSON.stringify(readCursor(way.href).config) : ''
      const said = `${decodeURIComponent(way?.href ?? '')} ${way?.text ?? ''} ${config}`
      expect(said).toContain(`${origin}/api/mcp-token`)
      expect(said).toContain(token)
    },
  )

  test('give no token to a client that can only sign in', () => {
    expect([tokenWay('claude', origin, token), tokenWay('chatgpt', origin, token)]).toEqual([null, null])
  })
})

describe('an address that the makers’ servers can reach', () => {
  test.each([
    ['https://berth.example', true],
    ['http://berth.example', false],
    ['http://127.0.0.1:8787', false],
    ['https://localhost', false],
    ['https://10.0.0.1', false],
    ['https://[::1]', false],
  ])('%s: %s', (address, holds) => expect(isPublic(address)).toBe(holds))
})

describe('the client of a token', () => {
  const app = { clientId: 'cli_x', host: 'this computer' }
  test.each([
    [{ name: 'laptop', lastClient: 'Cursor' }, 'cursor'],
    [{ name: 'Claude Code', app }, 'claude-code'],
    [{ name: 'Claude Code (berth)', app }, 'claude-code'],
    [{ name: 'Claude', app: { ...app, host: 'claude.ai' } }, 'claude'],
    [{ name: 'x', app: { ...app, host: 'claude.ai' } }, 'claude'],
    [{ name: 'ChatGPT', app: { ...app, host: 'chatgpt.com' } }, 'chatgpt'],
    [{ name: 'Visual Studio Code', app }, 'vscode'],
    [{ name: 'VS Code' }, 'vscode'],
    [{ name: 'Codex', app }, 'codex'],
    [{ name: 'Cursor', lastClient: 'my script' }, 'other'],
    [{ name: 'CI' }, 'other'],
    [{ name: 'precursor' }, 'other'],
  ] as const)('with the name %j is %s', (token, id) => expect(clientOf(token)).toBe(id))

  test('is recognised by the name of a token that was made for it', () => {
    for (const [id, name] of Object.entries(clientNames)) expect([name, clientOf({ name })]).toEqual([name, id])
  })

  test('is nobody for a token without tools, or an expired one', () => {
    expect(isConnection({ status: 'active', scopes: ['mcp:skills.read'] })).toBe(true)
    expect(isConnection({ status: 'active', scopes: ['api:llm'] })).toBe(false)
    expect(isConnection({ status: 'revoked', scopes: ['mcp:*'] })).toBe(false)
  })
})
