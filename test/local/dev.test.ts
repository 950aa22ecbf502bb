import { readFileSync } from 'node:fs'
import { dashboardReads, synthReads } from '../../local/start/builds.ts'
import { full } from '../counts.ts'
import { inFolder, sources, topOf } from '../shape/sources.ts'
import { type DevCopy, hotUpdates, startDevCopy, until } from './dev-copy.ts'

let dev: DevCopy

const get = (path: string) => fetch(`${dev.url}/api${path}`)
const statusOf = async (path: string) => (await get(path)).status
const post = (path: string, body: object, cookie = '') =>
  fetch(`${dev.url}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: dev.url, cookie },
    body: JSON.stringify(body),
  })

const health = 'lambdas/public/get-health.ts'
const lineOf = (text: string) =>
  readFileSync(health, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text)) + 1
const healthy = 'run: async ({ now }) => ({ ok: true, timestamp: iso(now) })'
const broken = `run: async ({ now }) => {
    if (now > 0) throw new TypeError('on purpose')
    return { ok: true, timestamp: iso(now) }
  }`

// It builds a copy of everything several times, for which `npm test` has no time.
;(full ? describe : describe.skip)('an edit is live without a restart', () => {
  beforeAll(async () => {
    dev = await startDevCopy()
  }, 120_000)

  test('in the domain', async () => {
    expect(await (await get('/plans')).text()).toContain('"Starter"')
    dev.edit('domain/billing/plans.ts', "'Starter'", "'Mooring'")
    await until(async () => (await (await get('/plans')).text()).includes('"Mooring"'))
  }, 90_000)

  test('in an operation, whose error names its source, line and request', async () => {
    expect(await statusOf('/health')).toBe(200)
    dev.edit(health, healthy, broken)
    await until(async () => (await statusOf('/health')) === 500)
    const requestId = (await get('/health')).headers.get('x-request-id')
    await until(() => dev.output().includes(`GET /health, request ${requestId}\nTypeError: on purpose\n`))
    const thrown = lineOf(healthy) + 1
    expect(dev.output()).toMatch(new RegExp(`at (Object\\.)?run \\(lambdas/public/get-health\\.ts:${thrown}:24\\)`))
  }, 90_000)

  test('that does not parse is reported, and the previous version keeps running', async () => {
    dev.edit(health, broken, healthy)
    await until(async () => (await statusOf('/health')) === 200)
    const line = lineOf('auth:')
    dev.edit(health, 'auth:', 'auth::')
    await until(() => dev.output().includes(`${health}:${line}:`))
    await until(() => dev.output().includes(`Building the CDK app failed at ${health}:${line}`))
    expect(await statusOf('/health')).toBe(200)
    dev.edit(health, 'auth::', 'auth:')
  }, 90_000)

  test('in the CDK app, and data stays', async () => {
    const email = 'developer@example.com'
    let asked = await post('/auth/login', { email })
    // On a busy machine, the deployment of the last edit may still be under way.
    await until(async () => {
      if (asked.status !== 202) asked = await post('/auth/login', { email })
      return asked.status === 202
    })
    dev.edit(health, "path: '/health'", "path: '/alive'")
    await until(async () => (await statusOf('/alive')) === 200)
    expect(await statusOf('/health')).toBe(404)
    const { mails } = await (await fetch(`${dev.url}/local/mail?to=${email}`)).json()
    const code = /\d{6}/.exec(mails[0].subject)?.[0]
    const cookie = asked.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await post('/auth/verify', { email, code }, cookie)).status).toBe(200)
  }, 90_000)

  test('in the dashboard, in an open page, under the policy of the template', async () => {
    const page = await fetch(`${dev.url}/wallet`)
    const nonce = /<script[^>]* nonce="([^"]+)"/.exec(await page.text())?.[1]
    expect(page.headers.get('content-security-policy')).toContain(
      `frame-ancestors 'none'; script-src 'self' 'nonce-${nonce}'`,
    )
    expect(await (await fetch(`${dev.url}/layout.tsx`)).text()).toContain('import.meta.hot')
    const { heard, close } = await hotUpdates(dev.url)
    dev.edit('dashboard/layout.tsx', 'export function Layout(', '/* edited */ export function Layout(')
    await until(() => heard.some((text) => text.includes('"type":"update"') && text.includes('/layout.tsx')))
    close()
  }, 90_000)

  test('in each file of the dashboard, whose address is not one of the API', async () => {
    const files = inFolder('dashboard').map(({ path }) => path.slice('dashboard/'.length))
    const browsers = files.filter((path) => !/^(vite\.config|docs\/build)\.ts$|\.d\.ts$/.test(path))
    expect(browsers.length).toBeGreaterThan(100)
    const lost: string[] = []
    for (const path of browsers) if ((await fetch(`${dev.url}/${path}`)).status !== 200) lost.push(path)
    expect(lost).toEqual([])
  }, 90_000)

  test('and Ctrl-C ends all processes', async () => {
    expect(await dev.stop()).toBe(0)
  })
})

/** The top folders of all files that a file imports, directly or not. */
function foldersBehind(entry: string): Set<string> {
  const files = new Map(sources.map(({ path, imports }) => [path, imports.map(({ from }) => from)]))
  const seen = new Set<string>()
  const visit = (path: string) => {
    if (seen.has(path)) return
    seen.add(path)
    for (const from of files.get(path) ?? []) if (files.has(from)) visit(from)
  }
  visit(entry)
  return new Set([...seen].map(topOf))
}

describe('the files that are rebuilt when they change', () => {
  test('include all imports of the CDK app and its functions', () => {
    const folders = new Set([
      ...foldersBehind('bin/app.ts'),
      ...inFolder('adapters').flatMap(({ path }) => [...foldersBehind(path)]),
    ])
    expect([...folders].filter((folder) => !synthReads.includes(folder))).toEqual([])
  })

  test('include all imports of the dashboard', () => {
    expect([...foldersBehind('dashboard/main.tsx')].filter((folder) => !dashboardReads.includes(folder))).toEqual([])
  })
})
