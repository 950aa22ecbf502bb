import { minuteMs } from '../../../domain/time.ts'
import { areas } from '../../../lambdas/areas.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import type { Tenant, TestRequest } from '../../world.ts'
import { listed } from './cost-world.ts'
import { type CrashWorld, dying, openCrashWorld } from './crash-world.ts'
import { keepPoint } from './kept-point.ts'
import { given, places, recordsIn } from './records.ts'
import { requests } from './requests.ts'

/** Operations whose ways through a crash are tried elsewhere. */
const elsewhere: Record<string, string> = {
  streamEvents: 'reads for as long as it is read',
  mcpEventStream: 'reads for as long as it is read',
  mcpRpc: 'the operation behind the tool is tried by itself',
  proxyModelCall: 'test/adapters/dynamo/wallet-interleavings.test.ts and test/app/models',
  stripeWebhook: 'test/lambdas/billing/webhook-algebra.test.ts',
  changePlan: 'changes nothing but at the provider, which tells of it',
  openBillingPortal: 'changes nothing',
  listFiles: 'asks the machine, which does what is left of it when it runs',
  getFile: 'asks the machine, which does what is left of it when it runs',
}

/** What is done about an instance that sleeps is tried with one that sleeps, too. */
const tried = listed
  .filter(([id]) => !(id in elsewhere))
  .flatMap(([id, area, one]) => {
    const cases = [[id, area, one, 'running'] as const]
    return ['chat', 'files', 'instance'].includes(area) ? [...cases, [id, area, one, 'paused'] as const] : cases
  })

/** The jobs of the clock but the reconciler's, whose own test starts machines. */
const sweeps = areas
  .filter(({ name }) => name !== 'reconciler')
  .flatMap(({ jobs }) => jobs.filter(({ on }) => 'everyMinutes' in on))

const isSame = (a: string[], b: string[]) => JSON.stringify(a) === JSON.stringify(b)

let world: CrashWorld
/** By operation: the user of whom nothing was asked, those whose function died, and the one whose function did not. */
const tries = new Map<string, Tenant[]>()
let kept: (tenant: Tenant) => Promise<string[]>

/** Operations that want a restore point first, unless there is a fresh one. */
const freshPoint = new Set(['refreshInstance', 'activatePersona', 'deactivatePersona', 'deletePersona'])

/** Requests that want more than a record of their user's own. */
const scenes: Record<string, (tenant: Tenant) => Promise<TestRequest>> = {
  async revokeToken({ userId }) {
    const parent = await world.bearer(['api:tokens.write', 'mcp:*'], userId)
    const sent = { method: 'POST', path: '/tokens', headers: parent.headers, body: { name: 'child' } }
    for (let made = 0; made < 3; made++) expect((await world.request(sent)).status).toBe(201)
    return { query: { id: parent.record.id } }
  },
  async reportLeakedToken({ userId }) {
    return { body: { token: (await world.bearer(['mcp:*'], userId)).plaintext } }
  },
}

/** A user with what the operation wants, and the request. */
async function prepare(one: AnyOperation, state: 'running' | 'paused'): Promise<{ tenant: Tenant; sent: TestRequest }> {
  const tenant = await world.tenant({
    state,
    desiredState: state,
    ...(state === 'paused' && { reason: 'user' }),
    deadlineMs: null,
  })
  await world.ports.users.setCustomer(tenant.userId, 'cus_1')
  // Else the change may have asked for one before it was cut off, which is no harm.
  if (freshPoint.has(one.id)) await keepPoint(world, tenant, world.nextId('rsp'))
  const { headers, ...sent } = await requestFor(one, tenant)
  return { tenant, sent: { ...sent, headers: { ...(await admission(one, tenant)), ...headers } } }
}

async function requestFor(one: AnyOperation, tenant: Tenant): Promise<TestRequest> {
  const scene = scenes[one.id]
  if (scene) return scene(tenant)
  const place = Object.entries(places).find(([name]) => name.startsWith(`${one.id}.`))
  if (!place) return requests[one.id] ?? {}
  const [name, [kind, also]] = place
  return given(one, { ...also, [name.split('.')[1] ?? '']: await recordsIn(world)[kind](tenant) })
}

const admission = async (one: AnyOperation, tenant: Tenant) =>
  one.auth === 'llm' || one.auth === 'files' || one.auth === 'agent'
    ? world.machine(tenant, one.auth)
    : (await world.session(tenant.userId)).headers

/** Kills the function after its first write, its second, and so on, until it comes to its end. */
async function tryAll(areaName: string, one: AnyOperation, state: 'running' | 'paused'): Promise<Tenant[]> {
  const area = areas.find(({ name }) => name === areaName)
  if (!area) throw new Error(`no area ${areaName}`)
  const handler = world.areaHandler(area)
  const tenants = [(await prepare(one, state)).tenant]
  for (let writes = 1, died = true; died; writes++) {
    const { tenant, sent } = await prepare(one, state)
    died = await dying(writes, async () => (await handler({ operation: one, ...sent })).done)
    tenants.push(tenant)
  }
  return tenants
}

beforeAll(async () => {
  world = await openCrashWorld()
  for (const [id, areaName, one, state] of tried) tries.set(`${id}, ${state}`, await tryAll(areaName, one, state))
  for (const job of sweeps) await job.run({ input: {}, deps: world.ports, now: Date.now() + 2 * minuteMs })
  kept = await world.snapshot()
}, 600_000)
afterAll(() => world.close())

describe('a function that dies after any of its writes', () => {
  test('is tried elsewhere for nothing that is gone', () => {
    expect(Object.keys(elsewhere).filter((id) => !listed.some(([known]) => known === id))).toEqual([])
  })

  test.each(tried.map(([id, , , state]) => `${id}, ${state}`))(
    '%s: is as if it had gone through, or never begun',
    async (id) => {
      const [before = [], ...outcomes] = await Promise.all((tries.get(id) ?? []).map(kept))
      const whole = outcomes.at(-1)
      for (const found of outcomes) if (!isSame(found, before)) expect(found).toEqual(whole)
    },
  )
})
