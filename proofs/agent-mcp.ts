/**
 * The reference agent uses published MCP servers: files and a browser over stdio; the service's own over HTTP.
 * It installs the servers into a temporary folder and needs Debian's Chromium (`apt-get install chromium`).
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTask, type Task } from '../test/agent/evaluation/run.ts'
import type { Request } from '../test/agent/evaluation/wires.ts'
import { Bench, until } from '../test/agent/machine.ts'
import { openMcpWorld } from '../test/lambdas/mcp/mcp-world.ts'
import { recordRun } from './kit/record.ts'

const packages = ['@modelcontextprotocol/server-filesystem@2026.8.31', '@playwright/mcp@0.0.83']
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium'
const variable = (name: string) => `\${${name}}`

const pages: Record<string, string> = {
  '/': '<title>Harbour</title><h1>The harbour</h1><a href="/berths">Show berths</a>',
  '/berths':
    '<title>Berths</title><form action="/book"><label>Boat <input name="boat"></label><button>Book</button></form>',
}

async function startPages() {
  const server = createServer(({ url = '/' }, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    const boat = new URL(url, 'http://a').searchParams.get('boat')
    response.end(pages[url] ?? `<title>Booked</title><h1>Berth 17 is booked for ${boat}</h1>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

/** The reference of an element in a snapshot by Playwright. */
const refOf = ({ results }: Request, element: RegExp): string =>
  /\[ref=(\w+)\]/.exec(
    results
      .join()
      .split('\n')
      .find((line) => element.test(line)) ?? '',
  )?.[1] ?? ''

const commandsOf = (installed: string) => ({
  files: { command: join(installed, 'node_modules/.bin/mcp-server-filesystem'), args: ['.'] },
  web: {
    command: join(installed, 'node_modules/.bin/playwright-mcp'),
    args: ['--headless', '--isolated', '--no-sandbox', '--executable-path', variable('CHROMIUM')],
  },
})

const tasksOf = (installed: string, url: string, service: { url: string; token: string }): Task[] => [
  {
    name: 'server-filesystem: writes, lists and reads files, and is refused what lies outside',
    commands: true,
    mcpCallMs: 20_000,
    files: { 'workspace/.mcp.json': JSON.stringify({ mcpServers: { files: commandsOf(installed).files } }) },
    turns: [
      {
        ask: 'Use the server files.',
        plays: [
          { use: [['mcp__files__write_file', { path: 'berth.txt', content: 'berth 17' }]] },
          {
            use: [
              ['mcp__files__list_directory', { path: '.' }],
              ['mcp__files__read_text_file', { path: 'berth.txt' }],
            ],
          },
          ({ results }) => ({
            use: [
              ['mcp__files__read_text_file', { path: '/etc/passwd' }],
              ['plan', { plan: results.join() }],
            ],
          }),
          ({ results, text }) => ({ say: `${results[0]}\n${text}` }),
        ],
      },
    ],
    check: ({ file, replies: [reply = ''] }) => [
      file('workspace/berth.txt') !== 'berth 17' && 'the file was not written',
      !/^error: .*denied/i.test(reply) && 'a file outside was read',
      !/\[FILE\] berth\.txt/.test(reply) && 'the file is not listed',
    ],
  },
  {
    name: 'Playwright: opens a page, follows a link, fills a form in and sends it',
    commands: true,
    mcpCallMs: 60_000,
    variables: { CHROMIUM: chromium },
    files: { 'workspace/.mcp.json': JSON.stringify({ mcpServers: { web: commandsOf(installed).web } }) },
    turns: [
      {
        ask: 'Book a berth for the Heron.',
        plays: [
          { use: [['mcp__web__browser_navigate', { url }]] },
          { use: [['mcp__web__browser_snapshot', {}]] },
          (seen) => ({ use: [['mcp__web__browser_click', { element: 'Show berths', target: refOf(seen, /link/) }]] }),
          { use: [['mcp__web__browser_snapshot', {}]] },
          (seen) => ({
            use: [
              ['mcp__web__browser_type', { element: 'Boat', target: refOf(seen, /textbox/), text: 'Heron' }],
              ['mcp__web__browser_click', { element: 'Book', target: refOf(seen, /button/) }],
              ['mcp__web__browser_snapshot', {}],
            ],
          }),
          ({ results }) => ({ say: results.at(-1) ?? '' }),
        ],
      },
    ],
    check: ({ replies: [reply = ''] }) => [!/Berth 17 is booked for Heron/.test(reply) && `the page says ${reply}`],
  },
  {
    name: 'Berth’s own tools over Streamable HTTP, with a token from the user’s variables',
    commands: true,
    mcpCallMs: 20_000,
    variables: { MY_TOKEN: service.token },
    files: {
      'workspace/.mcp.json': JSON.stringify({
        mcpServers: {
          berth: { type: 'http', url: service.url, headers: { Authorization: `Bearer ${variable('MY_TOKEN')}` } },
        },
      }),
    },
    turns: [
      {
        ask: 'What is in my wallet?',
        plays: [
          ({ tools }) => ({ use: [[tools.find((name) => /^mcp__berth__.*wallet/.test(name)) ?? 'none', {}]] }),
          ({ results }) => ({ say: results.join() }),
        ],
      },
    ],
    check: ({ replies: [reply = ''] }) => [!/balance/i.test(reply) && `the answer is ${reply}`],
  },
]

/** Memory of a process and its descendants, in MB; shared pages count in proportion. */
function memoryOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
  return children.reduce((sum, child) => sum + memoryOf(Number(child)), Number(pss) / 1024)
}

/**
 * The runtime in its machine with some servers, after it has used them. @returns MB of the runtime alone, and with its
 * servers
 */
async function measure(name: string, mcpServers: object, calls: { name: string; arguments: object }[]) {
  const bench = await new Bench().open()
  try {
    mkdirSync(join(bench.volume, 'workspace'))
    if (calls.length > 0) writeFileSync(join(bench.volume, 'workspace', '.mcp.json'), JSON.stringify({ mcpServers }))
    bench.server.variables = { CHROMIUM: chromium }
    bench.server.script = [...calls.map((call) => ({ call })), { text: 'Done.' }]
    const machine = bench.start({ BERTH_CONTAINER: '1', PATH: process.env.PATH ?? '' })
    const prompt = bench.server.say('Go.')
    await until(() => prompt.closed.length > 0)
    const pid = machine.runtimePid()
    const own = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
    const all = memoryOf(pid)
    console.log(`${name}: the runtime ${own.toFixed(0)} MB resident, with its servers ${all.toFixed(0)} MB`)
    return { own: own.toFixed(0), all: all.toFixed(0) }
  } finally {
    await bench.close()
  }
}

if (!existsSync(chromium)) {
  console.error(`There is no ${chromium}: apt-get install chromium, or set CHROMIUM.`)
  process.exit(1)
}
const installed = mkdtempSync(join(tmpdir(), 'berth-mcp-'))
const site = await startPages()
const world = await openMcpWorld()
let failed = 0
try {
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', installed, ...packages], { stdio: 'ignore' })
  const tenant = await world.tenant()
  const service = { url: `${world.url}/mcp`, token: await tenant.mint(['mcp:*']) }
  for (const task of tasksOf(installed, site.url, service))
    for (const name of ['openai/gpt-5-mini', 'anthropic/claude-sonnet-4-6']) {
      const { wrong, ms } = await runTask(task, { name, runsCommands: true })
      console.log(`${wrong.length === 0 ? 'ok    ' : 'FAILED'} ${task.name} (${name}, ${ms} ms)`)
      for (const said of wrong) console.log(`       ${said}`)
      failed += wrong.length > 0 ? 1 : 0
    }
  const { files, web } = commandsOf(installed)
  const list = { name: 'mcp__files__list_directory', arguments: { path: '.' } }
  const alone = await measure('no server', {}, [])
  const withFiles = await measure('files', { files }, [list])
  const withBrowser = await measure('files and a browser', { files, web }, [
    list,
    { name: 'mcp__web__browser_navigate', arguments: { url: site.url } },
  ])
  if (failed === 0)
    recordRun('agent-mcp', { alone: alone.own, one: withFiles.own, files: withFiles.all, browser: withBrowser.all })
} finally {
  site.close()
  await world.close()
  rmSync(installed, { recursive: true, force: true })
}
console.log(failed === 0 ? 'All passed.' : `${failed} failed.`)
process.exit(failed === 0 ? 0 : 1)
