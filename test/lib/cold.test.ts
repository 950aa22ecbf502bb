import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tokens } from '../../adapters/dynamo/tokens/tokens.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import { dayMs, iso } from '../../domain/time.ts'
import { areas, tools as toolOperations } from '../../lambdas/areas.ts'
import { type Engine, startEngine } from '../adapters/engine.ts'
import { full } from '../counts.ts'
import { askCold, environmentOf, requestOf } from './cold.ts'
import { bundledFolder, local, type Synthesis } from './synthesis.ts'

let assembly: Synthesis
let engine: Engine
const deployed = mkdtempSync(join(tmpdir(), 'berth-cold-'))
beforeAll(async () => {
  assembly = await local()
  engine = await startEngine()
})
afterAll(async () => {
  await engine.stop()
  rmSync(deployed, { recursive: true })
})

/** An area's function's answers to events, in a process that has only its bundle and the store. */
async function ask(name: string, events: object[]) {
  const area = areas.find((candidate) => candidate.name === name)
  if (!area) throw new Error(`no area ${name}`)
  // Away from the project, whose package.json would say that these are ES modules.
  const folder = join(deployed, name)
  cpSync(await bundledFolder(assembly, name), folder, { recursive: true })
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
  const store = { AWS_ENDPOINT_URL_DYNAMODB, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }
  return askCold(folder, { ...environmentOf(area, folder), ...store }, events)
}

/** Outside the full tier only the largest functions and the scheduled ones; all of them run in test/service. */
const tried = full
  ? areas
  : areas.filter(({ name }) => ['account', 'llm', 'mcp', 'outbox', 'public', 'socket'].includes(name))
const routed = tried.filter(({ operations }) => operations.length > 0)

describe('a function in its own process', () => {
  // The functions that anybody or a signature calls load elsewhere: the next test, and test/lambdas/billing.
  const closed = routed.flatMap(({ name, operations }) => {
    const http = operations.find(({ auth }) => auth !== 'none' && auth !== 'signed')?.http
    return http ? [[name, http] as const] : []
  })

  test.each(closed)('%s loads, and refuses an unknown caller', async (name, http) => {
    const [reply] = await ask(name, [requestOf(http)])
    expect(reply?.statusCode).toBe(401)
    expect(JSON.parse(reply?.body ?? '')).toMatchObject({ error: 'unauthorized' })
  })

  test('public loads, and answers anybody', async () => {
    const [reply] = await ask('public', [requestOf({ method: 'GET', path: '/plans' })])
    expect(reply?.statusCode).toBe(200)
    expect(JSON.parse(reply?.body ?? '').plans.length).toBeGreaterThan(0)
  })

  test.each(tried.filter((area) => !routed.includes(area) && !area.socket).map(({ name }) => name))(
    '%s loads, and ignores foreign events',
    async (name) => {
      expect(await ask(name, [{ source: 'elsewhere', 'detail-type': 'anything' }])).toEqual([null])
    },
  )

  test.each(tried.filter(({ socket }) => socket).map(({ name }) => name))(
    '%s loads, and refuses the handshake of an unknown caller',
    async (name) => {
      const requestContext = {
        eventType: 'CONNECT',
        connectionId: 'c=',
        requestId: 'r',
        identity: { sourceIp: '192.0.2.1' },
      }
      const [reply] = await ask(name, [{ headers: { Authorization: 'Bearer oss_nobody' }, requestContext }])
      expect(reply?.statusCode).toBe(401)
    },
  )

  test('mcp lists every tool with its schemas and calls one', async () => {
    const userId = 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0'
    const [createdAt, expiresAt] = [iso(Date.now()), iso(Date.now() + dayMs)]
    const record = { userId, name: 'test', scopes: ['mcp:*' as const], createdAt, expiresAt, lastUsedAt: null }
    const { plaintext } = await tokens(engine.env).mint({ ...record, revokedAt: null })
    await wallets(engine.env).open(userId)
    const headers = {
      Authorization: `Bearer ${plaintext}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    }
    const asked = [
      { method: 'tools/list' },
      { method: 'tools/call', params: { name: 'wallet.balance', arguments: {} } },
    ].map((message) => requestOf({ method: 'POST', path: '/mcp' }, headers, { jsonrpc: '2.0', id: 1, ...message }))
    const [list, call] = (await ask('mcp', asked)).map(({ body }) =>
      JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body),
    )
    const listed: { name: string; inputSchema: object; outputSchema: object }[] = list.result.tools
    expect(listed.map(({ name }) => name)).toEqual(toolOperations.map(({ tool }) => tool?.name))
    for (const tool of listed)
      expect(tool).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } })
    expect(call.result.structuredContent).toMatchObject({ balanceMicros: 0, currency: 'usd' })
  })
})
