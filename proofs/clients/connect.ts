/**
 * The lines of the Connect page, run in a shell unchanged, by the programs that they are for: signed in through
 * Chromium, or with a token. The page's later status of each program is checked as well.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { clientOf, signInWay, tokenWay } from '../../dashboard/connect/mcp-clients.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import start from '../../test/service/start.js'
import stop from '../../test/service/stop.js'
import { recordRun } from '../kit/record.ts'
import { openBrowser } from './browser.ts'
import { openPrograms } from './programs.ts'
import { startVendors, wishes } from './upstream.ts'
import { type Seen, table } from './works-with.ts'

const npm = {
  '@anthropic-ai/claude-code': '2.1.330',
  '@openai/codex': '0.169.0',
  '@modelcontextprotocol/inspector': '2.12.0',
}
const programs = openPrograms('connect')
const { inside, output } = programs
const vendors = await startVendors()

interface Program {
  id: 'claude-code' | 'codex' | 'other'
  name: string
  version: string
  /** Makes the program call a tool, after the page's line was run. */
  use(way: string, env: NodeJS.ProcessEnv): Promise<string>
  /** The line that adds the service is a shell command. */
  isLine: boolean
}

const path = () => `${inside('node_modules/.bin')}:${process.env.PATH}`
const claudeModel = { ANTHROPIC_BASE_URL: vendors.url, ANTHROPIC_AUTH_TOKEN: 'k', ENABLE_TOOL_SEARCH: 'false' }
const codexModel = [
  ['-m', 'gpt-5-mini', '-c', 'model_provider=vendor'],
  [
    '-c',
    `model_providers.vendor={name="Vendor",base_url="${vendors.url}/v1",env_key="VENDOR_KEY",wire_api="responses"}`,
  ],
].flat()

const all: Program[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    version: npm['@anthropic-ai/claude-code'],
    use: (_, env) => output('claude', ['-p', wishes.tool, '--allowedTools', 'mcp__berth'], { ...env, ...claudeModel }),
    isLine: true,
  },
  {
    id: 'codex',
    name: 'Codex',
    version: npm['@openai/codex'],
    use: (_, env) => {
      const free = ['--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check']
      return output('codex', ['exec', ...codexModel, ...free, wishes.tool], { ...env, VENDOR_KEY: 'k' })
    },
    isLine: true,
  },
  {
    id: 'other',
    name: 'MCP Inspector',
    version: npm['@modelcontextprotocol/inspector'],
    use: (way, env) => {
      const { mcpServers } = way.startsWith('{') ? JSON.parse(way) : { mcpServers: { berth: { url: way } } }
      const { url, headers = {} } = mcpServers.berth
      const sent = Object.entries(headers).flatMap(([header, value]) => ['--header', `${header}: ${value}`])
      const name = url.includes('names=underscore') ? 'wallet_balance' : 'wallet.balance'
      const call = ['--method', 'tools/call', '--tool-name', name]
      const to = ['--cli', '--server-url', url, '--transport', 'http', ...sent]
      return output('mcp-inspector', [...to, ...call], { ...env, MCP_AUTO_OPEN_ENABLED: 'true' })
    },
    isLine: false,
  },
]

/** Programs that sign in do so only at a terminal. */
const inTerminal = (line: string, env: NodeJS.ProcessEnv) =>
  output('python3', ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', 'sh', '-c', line], env)

/** @param only the beginning of a program's name; without it all are tried and the document is written */
export async function proveConnect(only = ''): Promise<Seen[]> {
  console.log('  installing')
  programs.npm(npm)
  await start()
  const browser = await openBrowser(inside())
  try {
    const seen: Seen[] = []
    for (const program of all.filter(({ name }) => name.startsWith(only)))
      for (const how of ['signs in', 'token'] as const) seen.push(...(await prove(program, how, browser)))
    if (only === '')
      recordRun(
        'clients:connect',
        { table: rowsOf(seen) },
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

async function prove(program: Program, how: 'signs in' | 'token', browser: Awaited<ReturnType<typeof openBrowser>>) {
  const { call, mintedWith, origin } = await import('../../test/service/client.ts')
  const { id, name, version } = program
  rmSync(inside('home'), { recursive: true, force: true, maxRetries: 3 })
  mkdirSync(inside('home/.codex'), { recursive: true })
  const env = {
    ...browser.env,
    PATH: `${inside()}:${path()}`,
    HOME: inside('home'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
  const listed = async () => (await call('GET', '/tokens', undefined, browser.user)).body.tokens as Pat[]
  const before = new Set((await listed()).map((token) => token.id))
  const token = how === 'token' ? await mintedWith(browser.user, ['mcp:*']) : ''
  const way = (how === 'token' ? tokenWay(id, origin, token) : signInWay(id, origin))?.text ?? ''
  const added = program.isLine ? await inTerminal(way, env) : ''
  const said = await program.use(way, { ...env, ...(token && { BERTH_TOKEN: token }) })
  const [made] = (await listed()).filter((each) => !before.has(each.id))
  const seen: Seen[] = [
    { client: name, version, check: how, said: `${added}\n${said}`, holds: /balanceMicros/.test(said) },
    {
      client: name,
      version,
      check: `${how}: the page says`,
      said: JSON.stringify(made) ?? 'no token was made',
      holds: made !== undefined && clientOf(made) === id && made.lastUsedAt !== null,
      cell: `“last call by ${made?.lastClient ?? made?.app?.host}”`,
    },
  ]
  for (const { check, holds, said } of seen) {
    console.log(`  ${holds ? 'ok    ' : 'FAILED'} ${name}, ${check}${holds ? '' : `\n${said.slice(-3_000)}`}`)
  }
  console.log(`         ${seen[1]?.cell}`)
  return seen
}

function rowsOf(seen: Seen[]): string {
  const checks = ['signs in', 'signs in: the page says', 'token', 'token: the page says']
  const line = (name: string) => {
    const { id } = all.find((program) => program.name === name) ?? { id: 'other' as const }
    return signInWay(id, '$BERTH').text ?? ''
  }
  return table(seen, checks, (name) => ({ line: line(name) }))
}
