import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { withFixtures } from '../../test/lambdas/mcp/fixtures.ts'
import { openHouse } from '../../test/lambdas/mcp/house.ts'

const suite = '@modelcontextprotocol/conformance@0.1.16'
const plain = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
  'server-sse-polling',
  'server-sse-multiple-streams',
]
const fixed = [
  'tools-call-simple-text',
  'tools-call-error',
  'resources-read-text',
  'resources-templates-read',
  'resources-subscribe',
  'resources-unsubscribe',
  'prompts-get-simple',
]

/**
 * Passes requests on with a token; the suite itself has no option for one. It stands in the service's place, so its own
 * address as Host or Origin becomes the service's; any other is passed on as it came.
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

/** One scenario in a process of its own; its last words are its result. */
async function run(url: string, scenario: string): Promise<boolean> {
  const child = spawn('npx', ['-y', suite, 'server', '--url', url, '--scenario', scenario], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const said = await readText(child.stdout)
  const passed = (await ended) === 0 && /Passed: (\d+)\/\1, 0 failed/.test(said)
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${scenario}`)
  if (!passed) console.log(said)
  return passed
}

const { BERTH_URL, BERTH_TOKEN } = process.env
const house = BERTH_URL ? null : await openHouse(withFixtures)
const tenant = await house?.tenant()
// A token each, so that the rate window of one does not end the run.
const token = async () => BERTH_TOKEN ?? (await tenant?.mint(['mcp:*'])) ?? ''
const proxy = await startProxy(
  new URL(house ? `${house.url}/mcp` : `${BERTH_URL}/api/mcp`),
  house?.deps.settings.publicOrigin ?? BERTH_URL ?? '',
  token,
)
const failed: string[] = []
for (const scenario of house ? [...plain, ...fixed] : plain)
  if (!(await run(proxy.url, scenario))) failed.push(scenario)
proxy.close()
await house?.close()
console.log(failed.length === 0 ? 'All passed.' : `Failed: ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
