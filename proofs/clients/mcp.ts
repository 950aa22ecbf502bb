/**
 * Third-party MCP clients at a local service: with a valid token, without one, with a wrong one, and through Chromium
 * if the program can sign in by itself.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import start from '../../test/service/start.js'
import stop from '../../test/service/stop.js'
import { recordRun } from '../kit/record.ts'
import { openBrowser } from './browser.ts'
import { openPrograms } from './programs.ts'
import { startVendors, wishes } from './upstream.ts'
import { type Seen, table } from './works-with.ts'

const npm = {
  '@modelcontextprotocol/inspector': '2.12.0',
  '@modelcontextprotocol/sdk': '1.32.2',
  '@modelcontextprotocol/client': '2.4.0',
  'mcp-remote': '0.15.1',
  '@anthropic-ai/claude-code': '2.1.330',
  'opencode-ai': '1.18.33',
}
const pypi = ['mcp', 'fastmcp']
const go = { module: 'github.com/modelcontextprotocol/go-sdk', version: 'v1.8.0' }
const maven = { artifact: 'io.modelcontextprotocol.sdk:mcp', version: '2.1.0' }

const programs = openPrograms('mcp')
const { inside, install, output } = programs
const bin = (name: string) => inside('node_modules/.bin', name)
const source = (name: string) => join(import.meta.dirname, 'mcp', name)

interface Client {
  name: string
  version: string
  /** For a reader to paste, with the service's address in BERTH, and BERTH_TOKEN. */
  line: string
  /** Lists the tools and calls one. @param token undefined sends none */
  use(url: string, token: string | undefined): Promise<string>
  /** The same with a token that the program gets through the browser. */
  signIn?(url: string, browser: NodeJS.ProcessEnv): Promise<string>
  /** The same again, after its access token has expired. */
  again?(url: string): Promise<string>
}

function installAll(): Client[] {
  programs.npm(npm)
  const python = programs.pypi(pypi)
  for (const name of ['sdk.mjs', 'sdk.py', 'fast.py', 'main.go', 'remote.mjs', 'Main.java', 'pom.xml'])
    programs.place(source(name))
  for (const left of ['go.mod', 'go.sum']) rmSync(inside(left), { force: true })
  for (const args of [
    ['mod', 'init', 'example.com/prove'],
    ['get', `${go.module}@${go.version}`],
    ['mod', 'tidy'],
    ['build', '-o', 'main', '.'],
  ])
    install('go', args)
  const dependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
  install('mvn', ['-q', dependencies, '-DoutputDirectory=lib', `-Dsdk=${maven.version}`])

  const env = (url: string, token?: string) => ({ BERTH_URL: url, ...(token && { BERTH_TOKEN: token }) })
  const script = (name: '@modelcontextprotocol/sdk' | '@modelcontextprotocol/client'): Client => ({
    name,
    version: npm[name],
    line: 'new StreamableHTTPClientTransport(new URL(BERTH + "/api/mcp-token"), { requestInit: { headers: { Authorization: "Bearer " + BERTH_TOKEN } } })',
    use: (url, token) => output(process.execPath, ['sdk.mjs', name], env(url, token)),
  })
  return [
    script('@modelcontextprotocol/sdk'),
    script('@modelcontextprotocol/client'),
    {
      name: 'mcp (Python)',
      version: python.get('mcp') ?? '',
      line: 'Client(streamable_http_client(f"{BERTH}/api/mcp-token", http_client=httpx2.AsyncClient(headers={"Authorization": f"Bearer {BERTH_TOKEN}"})))',
      use: (url, token) => output(inside('venv/bin/python'), ['sdk.py'], env(url, token)),
    },
    {
      name: 'go-sdk',
      version: go.version.slice(1),
      line: '&mcp.StreamableClientTransport{Endpoint: BERTH + "/api/mcp-token", HTTPClient: &http.Client{Transport: bearer(BERTH_TOKEN)}}',
      use: (url, token) => output(inside('main'), [], env(url, token)),
    },
    {
      name: maven.artifact,
      version: maven.version,
      line: 'HttpClientStreamableHttpTransport.builder(BERTH).endpoint("/api/mcp-token").httpRequestCustomizer((request, m, u, b, c) -> request.setHeader("Authorization", "Bearer " + BERTH_TOKEN)).build()',
      use: (url, token) => output('java', ['-cp', inside('lib/*'), inside('Main.java')], env(url, token)),
    },
    fastMcp(python.get('fastmcp') ?? '', env),
    inspector,
    mcpRemote,
    claudeCode,
    opencode,
  ]
}

const fastMcp = (version: string, env: (url: string, token?: string) => NodeJS.ProcessEnv): Client => ({
  name: 'FastMCP',
  version,
  line: 'Client(f"{BERTH}/api/mcp-token", auth=BERTH_TOKEN)` or `Client(f"{BERTH}/api/mcp", auth="oauth")',
  use: (url, token) => output(inside('venv/bin/python'), ['fast.py'], env(url, token)),
  signIn: (url, browser) => output(inside('venv/bin/python'), ['fast.py'], { ...env(url, 'oauth'), ...browser }),
})

const bearer = (token: string | undefined) => (token ? ['--header', `Authorization: Bearer ${token}`] : [])

const inspector: Client = {
  name: 'MCP Inspector',
  version: npm['@modelcontextprotocol/inspector'],
  line: 'npx @modelcontextprotocol/inspector --cli --server-url $BERTH/api/mcp-token --transport http --header "Authorization: Bearer $BERTH_TOKEN" --method tools/list',
  use: (url, token) => inspect(url, bearer(token), { MCP_AUTO_OPEN_ENABLED: 'true' }),
  signIn: (url, browser) => inspect(url, [], { MCP_AUTO_OPEN_ENABLED: 'true', ...browser }),
}
async function inspect(url: string, more: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['--cli', '--format', 'json', '--server-url', url, '--transport', 'http', ...more]
  const listed = await output(bin('mcp-inspector'), [...args, '--method', 'tools/list'], env)
  if (!listed.includes('wallet.balance')) return listed
  const call = ['--method', 'tools/call', '--tool-name', 'wallet.balance']
  return `${listed}${await output(bin('mcp-inspector'), [...args, ...call], env)}`
}

const mcpRemote: Client = {
  name: 'mcp-remote',
  version: npm['mcp-remote'],
  line: 'npx mcp-remote $BERTH/api/mcp` or `npx mcp-remote $BERTH/api/mcp-token --header "Authorization:Bearer $BERTH_TOKEN"',
  use: (url, token) => throughRemote(url, bearer(token)),
  signIn: (url, browser) => throughRemote(url, [], browser),
  // Invalidates its stored token, as an hour would.
  again: async (url) => {
    const kept = install('find', [inside('home/.mcp-auth'), '-name', '*_tokens.json'])
      .trim()
      .split('\n')
    for (const path of kept) {
      const text = readFileSync(path, 'utf8').replace(/oss_\w+/, (token) => `${token.slice(0, -4)}0000`)
      writeFileSync(path, text)
    }
    return throughRemote(url, [])
  },
}
/** mcp-remote for its purpose: as the server of a client that speaks over stdio. */
const throughRemote = (url: string, more: string[], env: NodeJS.ProcessEnv = {}) =>
  output(process.execPath, ['remote.mjs', bin('mcp-remote'), url, '--transport', 'http-only', ...more], env)

const claudeCode: Client = {
  name: 'Claude Code',
  version: npm['@anthropic-ai/claude-code'],
  line: 'claude mcp add --transport http berth $BERTH/api/mcp && claude mcp login berth` or `claude mcp add --transport http berth $BERTH/api/mcp-token --header "Authorization: Bearer $BERTH_TOKEN"',
  use: async (url, token) => {
    await addToClaude(url, token)
    return throughClaude()
  },
  signIn: async (url, browser) => {
    await addToClaude(url, undefined)
    // It signs in only at a terminal.
    const inTerminal = ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', bin('claude')]
    const said = await output('python3', [...inTerminal, 'mcp', 'login', 'berth'], browser)
    return `${said}${await throughClaude()}`
  },
}
const claude = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  output(bin('claude'), args, { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ...env })
async function addToClaude(url: string, token: string | undefined): Promise<void> {
  rmSync(inside('home/.claude.json'), { force: true })
  await claude(['mcp', 'add', '--transport', 'http', 'berth', url, ...bearer(token)])
}
async function throughClaude(): Promise<string> {
  const listed = await claude(['mcp', 'list'])
  if (!listed.includes('✔ Connected')) return listed
  const vendor = { ANTHROPIC_BASE_URL: vendors.url, ANTHROPIC_AUTH_TOKEN: 'k', ENABLE_TOOL_SEARCH: 'false' }
  return claude(['-p', wishes.tool, '--allowedTools', 'mcp__berth'], vendor)
}

const opencode: Client = {
  name: 'opencode',
  version: npm['opencode-ai'],
  line: '{"mcp": {"berth": {"type": "remote", "url": "$BERTH/api/mcp-token?names=underscore", "oauth": false, "headers": {"Authorization": "Bearer {env:BERTH_TOKEN}"}}}}',
  use: async (url, token) => {
    configureOpencode(url, token)
    const listed = await output(bin('opencode'), ['mcp', 'list'], {})
    return listed.includes('✓') ? output(bin('opencode'), ['run', wishes.tool], {}) : listed
  },
  signIn: async (url, browser) => {
    configureOpencode(url, undefined)
    await output(bin('opencode'), ['mcp', 'auth', 'berth'], browser)
    return output(bin('opencode'), ['run', wishes.tool], {})
  },
}
function configureOpencode(url: string, token: string | undefined): void {
  const headers = token && { Authorization: `Bearer ${token}` }
  const berth = { type: 'remote', url: `${url}?names=underscore`, ...(headers && { headers }) }
  const options = { baseURL: `${vendors.url}/v1`, apiKey: 'k' }
  const provider = { vendor: { npm: '@ai-sdk/openai-compatible', name: 'Vendor', options, models: { gpt: {} } } }
  const config = { model: 'vendor/gpt', small_model: 'vendor/gpt', provider, mcp: { berth } }
  writeFileSync(inside('opencode.json'), JSON.stringify(config))
}

/** The MCP area's statuses since the last call, from the service's own log. */
function statusesOf(logs: string) {
  const read = () => readFileSync(join(logs, 'berth-local-mcp.log'), 'utf8')
  let from = read().length
  return (): number[] => {
    const said = read().slice(from)
    from += said.length
    return [...said.matchAll(/"operation":"mcp\w+","status":(\d+)/g)].map(([, status]) => Number(status))
  }
}

const crashed = /<html|<!doctype|SyntaxError|is not valid JSON|invalid character|Unexpected token|JsonParse/i
/** The short form of a refusal in a program's own words: the advice, or at least the reason. */
const advice: [RegExp, string][] = [
  [/[Mm]int a|send a valid token|needs authentication|mcp auth berth/, 'says what to do'],
  [/\b401\b|[Uu]nauthorized|Authorization error/, 'says 401'],
]

/** @param only the beginning of a client's name; without it all are tried and the document is written */
export async function proveMcp(only = ''): Promise<Seen[]> {
  console.log('  installing')
  const clients = installAll().filter(({ name }) => name.startsWith(only))
  await start()
  const browser = await openBrowser(inside())
  try {
    const seen = await proveAll(clients, browser.env)
    if (only === '')
      recordRun(
        'clients:mcp',
        { table: rowsOf(clients, seen) },
        seen.every(({ holds }) => holds),
      )
    return seen
  } finally {
    await browser.close()
    vendors.close()
    await stop()
    programs.close()
  }
}
const vendors = await startVendors()

async function proveAll(clients: Client[], browser: NodeJS.ProcessEnv): Promise<Seen[]> {
  const { mintedWith, origin, signIn } = await import('../../test/service/client.ts')
  const statuses = statusesOf(join(process.env.BERTH_DATA_DIR ?? '', 'logs/functions'))
  const seen: Seen[] = []
  for (const client of clients) {
    const { name, version } = client
    const note = (check: string, said: string, holds: boolean, cell?: string) => {
      seen.push({ client: name, version, check, said, holds, ...(cell && { cell }) })
      console.log(`  ${holds ? 'ok    ' : 'FAILED'} ${name}, ${check}${cell ? `: ${cell}` : ''}`)
      if (!holds) console.log(said.slice(-1_500))
    }
    const works = (check: string, said: string) => {
      const answered = statuses()
      const holds = /balanceMicros/.test(said) && answered.length > 1 && answered.every((status) => status < 400)
      note(check, `${answered} ${said}`, holds)
    }
    const refused = (check: string, printed: string, also: number[] = []) => {
      const said = stripVTControlCharacters(printed)
      const answered = statuses()
      const cell = advice.find(([words]) => words.test(said))?.[1]
      const only401 = answered.length > 0 && answered.every((status) => [401, ...also].includes(status))
      note(check, `${answered} ${said}`, only401 && cell !== undefined && !crashed.test(said), cell)
    }
    const [byToken, byBrowser] = [`${origin}/api/mcp-token`, `${origin}/api/mcp`]
    const token = await mintedWith(await signIn(), ['mcp:*'])
    statuses()
    works('token', await client.use(byToken, token))
    works('token, at /mcp', await client.use(byBrowser, token))
    refused('no token', await client.use(byToken, undefined))
    refused('wrong token', await client.use(byToken, `oss_${'0'.repeat(36)}`))
    if (client.signIn) {
      const said = await client.signIn(byBrowser, browser)
      const answered = statuses()
      note('signs in', `${answered} ${said}`, /balanceMicros/.test(said) && answered.includes(200))
    }
    if (client.again) {
      const said = await client.again(byBrowser)
      const answered = statuses()
      const refreshed = answered[0] === 401 && answered.includes(200)
      note('refreshes', `${answered} ${said}`, /balanceMicros/.test(said) && refreshed)
    }
  }
  return seen
}

function rowsOf(clients: Client[], seen: Seen[]): string {
  const checks = ['token', 'token, at /mcp', 'no token', 'wrong token', 'signs in', 'refreshes']
  return table(seen, checks, (name) => ({ line: '', ...clients.find((client) => client.name === name) }))
}
