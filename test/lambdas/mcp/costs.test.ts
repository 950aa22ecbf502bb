import { limits } from '../../../domain/rates/rate-limits.ts'
import { iso } from '../../../domain/time.ts'
import { tools as toolOperations } from '../../../lambdas/areas.ts'
import { counted } from '../../adapters/engine.ts'
import { type McpTenant, type McpWorld, openMcpWorld, rpc } from './mcp-world.ts'

let world: McpWorld
let me: McpTenant

beforeAll(async () => {
  world = await openMcpWorld((mcp) => mcp, false)
  me = await world.tenant()
})
afterAll(() => world.close())

const bearer = () => ({ authorization: `Bearer ${me.bearer}` })

/** Store requests of one call, including retries, such as `UpdateItem`. */
const callsOf = async (ask: () => Promise<unknown>) =>
  (await counted(ask)).calls.map(({ operation }) => operation).sort()

const overMcp = (name: string, args: object) =>
  callsOf(async () => {
    const { status, message } = await rpc(`${world.url}/mcp`, bearer(), {
      method: 'tools/call',
      params: { name, arguments: args },
    })
    expect([status, message]).toEqual([200, expect.objectContaining({ result: expect.anything() })])
  })

const overRest = (method: string, path: string, body?: object) =>
  callsOf(async () => {
    const sent = body
      ? { body: JSON.stringify(body), headers: { ...bearer(), 'content-type': 'application/json' } }
      : {}
    const answer = await fetch(`${world.url}${path}`, { method, headers: bearer(), ...sent })
    expect([path, answer.status < 300, await answer.text()]).toEqual([path, true, expect.any(String)])
  })

/** A live subscription and money, which a resume requires. */
async function subscribe(userId: string) {
  const { users, wallets } = world.ports
  const subscription = { status: 'active', plan: 'starter', currentPeriodEnd: null, cancelAtPeriodEnd: false } as const
  await users.setSubscription(userId, { subscription, subscriptionId: 'sub_1', asOfSeconds: 1, replaces: null })
  await wallets.creditOnce(userId, `gift#${userId}`, 1_000_000, 'adjustment', 'A gift', iso(Date.now()))
}

/** Each tool with its REST twin, and the preparation for each of the two. */
const twins: [tool: string, args: object, method: string, path: string, body?: object][] = [
  ['wallet.balance', {}, 'GET', '/wallet'],
  ['wallet.transactions', { limit: 5 }, 'GET', '/wallet/transactions?limit=5'],
  ['wallet.checkoutTopUp', { amountCents: 500 }, 'POST', '/wallet/topup', { amountCents: 500 }],
  ['instance.status', {}, 'GET', '/instance/status'],
  ['instance.setModel', { model: 'local/echo' }, 'POST', '/instance/model', { model: 'local/echo' }],
  ['personas.list', {}, 'GET', '/personas'],
  ['personas.activate', { id: 'friendly-coach' }, 'POST', '/personas/friendly-coach/activate'],
  ['personas.deactivate', { id: 'concise-engineer' }, 'POST', '/personas/concise-engineer/deactivate'],
  ['skills.list', {}, 'GET', '/skills'],
  ['skills.show', { id: 'daily-brief' }, 'GET', '/skills/daily-brief'],
]

describe('tools/call', () => {
  test.each(twins)(
    '%s costs the store requests of its REST twin, and one that counts it as a write',
    async (tool, args, method, path, ...[body]) => {
      await overRest(method, path, body)
      const rest = await overRest(method, path, body)
      expect(await overMcp(tool, args)).toEqual(method === 'GET' ? rest : [...rest, 'UpdateItem'].sort())
      expect(rest.length).toBeGreaterThan(0)
    },
  )

  /** A call that moves the instance works once, so each of the two has its own user. */
  test.each([
    ['instance.pause', '/instance/pause', 'running'],
    ['instance.resume', '/instance/resume', 'paused'],
    ['instance.refreshEnv', '/instance/refresh', 'running'],
  ] as const)(
    '%s costs the store requests of its REST twin, and one that counts it as a write',
    async (tool, path, from) => {
      const asTenant = async (ask: () => Promise<string[]>) => {
        me = await world.tenant(from)
        await subscribe(me.userId)
        return ask()
      }
      const rest = await asTenant(() => overRest('POST', path))
      expect(await asTenant(() => overMcp(tool, {}))).toEqual([...rest, 'UpdateItem'].sort())
      expect(rest.length).toBeGreaterThan(3)
    },
  )

  test('counts like its REST twin, in the same windows', async () => {
    const { bearer, cookie: _ } = await world.tenant()
    const headers = { authorization: `Bearer ${bearer}` }
    const activate = { name: 'personas.activate', arguments: { id: 'friendly-coach' } }
    const overMcp = () => rpc(`${world.url}/mcp`, headers, { method: 'tools/call', params: activate })
    const overRest = () => fetch(`${world.url}/personas/friendly-coach/activate`, { method: 'POST', headers })
    for (let i = 0; i < limits.write; i++) {
      if (i % 2) expect((await overMcp()).message).not.toHaveProperty('result.isError')
      else expect((await overRest()).status).toBe(200)
    }
    expect((await overRest()).status).toBe(429)
    const refused = JSON.stringify((await overMcp()).message)
    expect(refused).toContain('"isError":true')
    expect(refused).toContain('rate-limited')
    const read = await fetch(`${world.url}/wallet`, { headers })
    const left = limits.read - limits.write / 2 - 2
    expect([read.status, read.headers.get('x-ratelimit-remaining')]).toEqual([200, String(left)])
  })

  test('is measured for every tool', () => {
    const moving = ['instance.pause', 'instance.resume', 'instance.refreshEnv']
    const measured = [...twins.map(([tool]) => tool), ...moving]
    expect(measured.sort()).toEqual(toolOperations.map(({ tool }) => tool?.name).sort())
  })
})

describe('a method without data of the user', () => {
  test.each([
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['prompts/get', { name: 'set_up_my_agent' }],
    ['ping', {}],
  ])('%s costs only the authentication', async (method, params) => {
    const ask = async () => {
      const { status, message } = await rpc(`${world.url}/mcp`, bearer(), { method, params })
      expect([status, message]).toEqual([200, expect.objectContaining({ result: expect.anything() })])
    }
    expect(await callsOf(ask)).toEqual(['GetItem', 'UpdateItem'])
  })
})
