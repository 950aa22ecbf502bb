import * as z from 'zod'
import { tableEnv, tables } from '../../../domain/resources.ts'
import { areas } from '../../../lambdas/areas.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { counted } from '../../adapters/engine.ts'
import { type Doorway, openDoorway, origin } from './doorway.ts'

type Handler = (event: object, context: object) => Promise<unknown>

const shape = z.object({ statusCode: z.number(), body: z.string() })

/** The areas that answer whole, behind the very handlers that are deployed. */
const buffered = ['public', 'auth', 'account', 'tokens', 'wallet', 'instance', 'chat', 'catalogue', 'billing']

let world: Doorway
const handlers = new Map<string, Handler>()

beforeAll(async () => {
  world = await openDoorway()
  const places = Object.keys(tables).map((name) => [tableEnv(name as keyof typeof tables), name]) // safe because it is a key of tables
  const facts = {
    STAGE: 'test',
    PUBLIC_ORIGIN: origin,
    CELL: 'T0',
    IMAGE_VERSION: '1',
    BUS_NAME: 'b',
    MAIL_FROM: 'a@example.com',
  }
  Object.assign(process.env, Object.fromEntries(places), facts)
  const arn = (name: string) => `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}`
  const secret = {
    CURSOR_KEY_SECRET_ARN: 'cursor-key',
    EDGE_KEY_SECRET_ARN: 'edge-key',
    STRIPE_SECRET_ARN: 'stripe',
    PROVIDERS_SECRET_ARN: 'providers',
  }
  for (const [name, value] of Object.entries(secret)) process.env[name] = arn(value)
  for (const name of [
    'LAMBDA_TASK_ROOT',
    'FILES_BUCKET',
    'VARIABLES_KEY_ARN',
    'BUS_ARN',
    'SCHEDULE_GROUP',
    'SCHEDULER_ROLE_ARN',
    'AGENT_LOG_GROUP',
  ])
    process.env[name] ??= 'x'
  for (const name of buffered) handlers.set(name, (await import(`../../../lambdas/${name}/handler.ts`)).handler)
}, 60_000)
afterAll(() => world.close())

async function ask(
  areaName: string,
  one: AnyOperation,
  headers: Record<string, string>,
  more: { query?: object; body?: object; path?: object } = {},
) {
  const event = {
    httpMethod: one.http.method,
    resource: one.http.path,
    path: one.http.path,
    headers: { Origin: origin, 'Content-Type': 'application/json', ...headers },
    pathParameters: more.path ?? null,
    queryStringParameters: more.query ?? null,
    body: more.body ? JSON.stringify(more.body) : null,
    isBase64Encoded: false,
    requestContext: { requestId: 'r', identity: { sourceIp: '192.0.2.1' } },
  }
  const { result, calls } = await counted(async () => handlers.get(areaName)?.(event, {}))
  const units = calls.flatMap(({ capacity }) => capacity).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
  return { status: shape.parse(result).statusCode, calls: calls.length, units }
}

const listed = areas
  .filter(({ name }) => buffered.includes(name))
  .flatMap((area) => area.operations.map((one) => [one.id, area.name, one] as const))
const find = (id: string) => listed.find(([name]) => name === id) ?? listed[0]

describe('the store calls of an operation', () => {
  test.each(listed)('%s: to be let in and refused costs one call of one unit, or none', async (_, areaName, one) => {
    world.clock.nowMs = Date.now()
    const { headers } = await world.session()
    const { status, calls } = await ask(areaName, one, headers, {
      query: { 'no-such-field': '1' },
      body: { 'no-such-field': 1 },
    })
    if (one.id !== 'reportLeakedToken') expect(status).toBe(400)
    expect(calls).toBe(one.auth === 'none' && !one.limit ? 0 : 1)
  })

  test.each<[string, number, number, object?]>([
    ['getHealth', 0, 0],
    ['listPlans', 0, 0],
    ['listTokens', 2, 1.5],
    ['mintToken', 4, 5, { body: { name: 'a' } }],
    ['getWallet', 3, 3],
    ['listTransactions', 2, 2],
    ['listMessages', 2, 2],
    ['listSessions', 3, 2.5],
  ])('%s: %i calls, %d units', async (id, calls, units, more = {}) => {
    world.clock.nowMs = Date.now()
    const [, areaName = '', one] = find(id) ?? []
    if (!one) throw new Error(`no operation ${id}`)
    const { headers } = await world.session()
    const seen = await ask(areaName, one, headers, more)
    expect([id, seen.status < 300, seen.calls, seen.units]).toEqual([id, true, calls, units])
  })

  test('another’s id costs what an id that never was costs', async () => {
    world.clock.nowMs = Date.now()
    const [mine, theirs] = [await world.session(), await world.bearer()]
    const [, areaName = '', one] = find('revokeToken') ?? []
    if (!one) throw new Error('no such operation')
    const other = await ask(areaName, one, mine.headers, { query: { id: theirs.record.id } })
    const never = await ask(areaName, one, mine.headers, { query: { id: `tok_${'a'.repeat(22)}` } })
    expect([other.status, other.calls]).toEqual([404, never.calls])
    expect(never.status).toBe(404)
  })
})
