import { tokens } from '../../adapters/dynamo/tokens.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { dayMs, iso } from '../../domain/time.ts'
import { areas } from '../../lambdas/areas.ts'
import { toolOperations } from '../../lambdas/mcp/tools.ts'
import { bundleFolder } from '../../lib/bundle.ts'
import { type Engine, startEngine } from '../adapters/engine.ts'
import { askCold, environmentOf, requestOf } from './cold.ts'
import { bundled } from './synthesis.ts'

let built: string
let engine: Engine
beforeAll(async () => {
  ;[{ built }, engine] = await Promise.all([bundled(), startEngine()])
}, 60_000)
afterAll(() => engine.stop())

/** What an area's function answers to events, in a process that has nothing but its bundle and the store. */
function ask(name: string, events: object[]) {
  const area = areas.find((one) => one.name === name)
  if (!area) throw new Error(`no area ${name}`)
  const folder = bundleFolder(built, name)
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
  const store = { AWS_ENDPOINT_URL_DYNAMODB, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }
  return askCold(folder, { ...environmentOf(area, folder), ...store }, events)
}

const routed = areas.filter(({ operations }) => operations.length > 0)

describe('a function in a process of its own', () => {
  test.each(routed.filter(({ name }) => name !== 'public').map((area) => [area.name, area] as const))(
    '%s loads, and answers a caller it does not know',
    async (name, { operations }) => {
      const closed = operations.find(({ auth }) => auth !== 'none' && auth !== 'signed')
      const [reply] = await ask(name, [requestOf(closed?.http ?? { method: '', path: '' })])
      expect(reply?.statusCode).toBe(401)
      expect(JSON.parse(reply?.body ?? '')).toMatchObject({ error: 'unauthorized' })
    },
    30_000,
  )

  test('public loads, and answers anybody', async () => {
    const [reply] = await ask('public', [requestOf({ method: 'GET', path: '/plans' })])
    expect(reply?.statusCode).toBe(200)
    expect(JSON.parse(reply?.body ?? '').plans.length).toBeGreaterThan(0)
  }, 30_000)

  test.each(areas.filter((area) => !routed.includes(area)).map(({ name }) => name))(
    '%s loads, and leaves alone what is not its own',
    async (name) => {
      expect(await ask(name, [{ source: 'elsewhere', 'detail-type': 'anything' }])).toEqual([null])
    },
    30_000,
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
    ].map((one) => requestOf({ method: 'POST', path: '/mcp' }, headers, { jsonrpc: '2.0', id: 1, ...one }))
    const [list, call] = (await ask('mcp', asked)).map(({ body }) =>
      JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body),
    )
    const listed: { name: string; inputSchema: object; outputSchema: object }[] = list.result.tools
    expect(listed.map(({ name }) => name)).toEqual(toolOperations.map(({ tool }) => tool?.name))
    for (const one of listed)
      expect(one).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } })
    expect(call.result.structuredContent).toMatchObject({ balanceMicros: 0, currency: 'usd' })
  }, 30_000)
})
