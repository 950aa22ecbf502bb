import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { withFixtures } from '../test/lambdas/mcp/fixtures.ts'
import { openMcpWorld } from '../test/lambdas/mcp/mcp-world.ts'

/** The suite's first releases with 2026-07-28 are alphas; this one is pinned. */
const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12'

type Revision = '2025-11-25' | '2026-07-28'
const older: Revision[] = ['2025-11-25']
const newer: Revision[] = ['2026-07-28']
const both = [...older, ...newer]

/** Scenarios that apply to any service, by the revisions that have them. */
const plain: [string, Revision[]][] = [
  ['server-initialize', older],
  ['ping', older],
  ['tools-list', both],
  ['resources-list', both],
  ['prompts-list', both],
  ['dns-rebinding-protection', both],
  ['server-sse-multiple-streams', newer],
  ['sep-2164-resource-not-found', newer],
  ['http-header-validation', newer],
  ['input-required-result-unsupported-methods', newer],
]
/** Scenarios that need the fixtures of test/lambdas/mcp/fixtures.ts. */
const fixed: [string, Revision[]][] = [
  ['server-stateless', newer],
  ['caching', newer],
  ['tools-call-simple-text', both],
  ['tools-call-error', both],
  ['resources-read-text', both],
  ['resources-templates-read', both],
  ['resources-subscribe', older],
  ['resources-unsubscribe', older],
  ['prompts-get-simple', both],
]
/** Two checks of `server-stateless` need a tool that relies on its client; our tools cannot. */
const needless = ['sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400']

/**
 * Forwards requests with a token; the suite itself has no option for one. It replaces the service, so its own address
 * as Host or Origin becomes the service's; any other is forwarded unchanged.
 */
async function startProxy(target: URL, origin: string, token: () => Promise<string>) {
  const server = createServer(async (asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${await token()}` }
    if (headers.host === own) headers.host = target.host
    if (headers.origin === `http://${own}`) headers.origin = origin
    const { hostname, port } = target
    const onward = request({ hostname, port, path: target.pathname, method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const own = `127.0.0.1:${port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://${own}/mcp`, close }
}

const failedChecks = (said: string): string[] =>
  [...stripVTControlCharacters(said).matchAll(/\[([\w-]+) *\] FAILURE/g)].map(([, check = '']) => check)

/** One scenario in its own process, whose last line is its result. */
async function run(url: string, scenario: string, revision: Revision): Promise<boolean> {
  const asked = ['--url', url, '--scenario', scenario, '--spec-version', revision]
  const child = spawn('npx', ['-y', suite, 'server', ...asked], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = await readText(child.stdout)
  const [, count] = /Passed: (\d+)\/\d+, \d+ failed/.exec(said) ?? []
  const failed = failedChecks(said).filter((check) => !needless.includes(check))
  const passed = Number(count) > 0 && failed.length === 0
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${revision} ${scenario}${passed ? `: ${count}` : ''}`)
  if (!passed) console.log(said)
  return passed
}

const { BERTH_URL, BERTH_TOKEN } = process.env
const world = BERTH_URL ? null : await openMcpWorld(withFixtures)
const tenant = await world?.tenant()
// A token each, so that the rate window of one does not end the run.
const token = async () => BERTH_TOKEN ?? (await tenant?.mint(['mcp:*'])) ?? ''
const proxy = await startProxy(
  new URL(world ? `${world.url}/mcp` : `${BERTH_URL}/api/mcp`),
  world?.ports.settings.publicOrigin ?? BERTH_URL ?? '',
  token,
)
const failed: string[] = []
for (const [scenario, revisions] of world ? [...plain, ...fixed] : plain)
  for (const revision of revisions)
    if (!(await run(proxy.url, scenario, revision))) failed.push(`${scenario} of ${revision}`)
proxy.close()
await world?.close()
console.log(failed.length === 0 ? 'All passed.' : `Failed: ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
