import type { Subscription } from '../../../domain/billing/subscription.ts'
import { billingArea } from '../../../lambdas/billing/index.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { until } from '../../until.ts'
import { openWorld, type Tenant, type World } from '../../world.ts'

let world: World
const asked: string[] = []
/** Makes this number of changes arrive at the payment provider before any of them continues. */
let abreast = 0
beforeAll(async () => {
  world = await openWorld({
    areas: [billingArea, instanceArea],
    replace: ({ users, payments }) => ({
      payments: {
        ...payments,
        changePlan: async (_, plan, when) => {
          asked.push(`${plan} ${when}`)
          abreast--
          await until(() => abreast <= 0)
          // safe because the operation returns only the subscription
          return { subscription: pays('pro'), subscriptionId: 'sub_1' } as never
        },
      },
      users: {
        ...users,
        find: async (id) => {
          const user = await users.find(id)
          return user && { ...user, subscriptionId: 'sub_1', subscription: subscriptions.get(id) ?? pays('pro') }
        },
      },
    }),
  })
})
afterAll(() => world.close())

const pays = (plan: 'starter' | 'pro', nextPlan?: 'starter'): Subscription => ({
  status: 'active',
  plan,
  currentPeriodEnd: '2026-12-20T12:00:00.000Z',
  cancelAtPeriodEnd: false,
  ...(nextPlan && { nextPlan }),
})
const subscriptions = new Map<string, Subscription>()
const call = async (method: string, path: string, body: object, { userId }: Tenant) =>
  world.request({ method, path, headers: (await world.session(userId)).headers, body })
const auditOf = async ({ userId }: Tenant) => (await world.ports.audit.list(userId, { after: null, limit: 10 })).items
const change = (plan: string, of: Tenant) => call('POST', '/billing/plan', { plan }, of)

describe('changePlan', () => {
  test('to a plan that does not support the runtime is refused until the user chooses another runtime', async () => {
    const tenant = await world.tenant({ plan: 'pro', runtime: 'opencode' })
    const refused = await change('starter', tenant)
    expect([refused.status, refused.body.error]).toEqual([409, 'conflict'])
    expect(refused.body.message).toMatch(/opencode needs .* 1024 MiB.*Starter’s has 512.*Choose another program/)
    expect(asked).toEqual([])
    expect((await call('PUT', '/instance/runtime', { runtime: 'pi' }, tenant)).status).toBe(202)
    expect((await change('starter', tenant)).status).toBe(200)
    expect(asked).toEqual(['starter later'])
  })

  test('to a larger plan skips the check', async () => {
    const tenant = await world.tenant({ plan: 'starter', runtime: 'opencode' })
    subscriptions.set(tenant.userId, pays('starter'))
    expect((await change('pro', tenant)).status).toBe(200)
  })

  test('that was sent twice at once with the same Idempotency-Key is recorded and answered once', async () => {
    const tenant = await world.tenant({ plan: 'starter' })
    subscriptions.set(tenant.userId, pays('starter'))
    const headers = { ...(await world.session(tenant.userId)).headers, 'Idempotency-Key': 'one-change' }
    const send = () => world.request({ method: 'POST', path: '/billing/plan', headers, body: { plan: 'pro' } })
    abreast = 2
    const answers = await Promise.all([send(), send()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await auditOf(tenant)).filter(({ operation }) => operation === 'changePlan')).toHaveLength(1)
    expect((await send()).status).toBe(200)
  })
})

describe('setInstanceRuntime', () => {
  test('refuses a runtime that the next plan does not support', async () => {
    const tenant = await world.tenant({ plan: 'pro' })
    subscriptions.set(tenant.userId, pays('pro', 'starter'))
    const { status, body } = await call('PUT', '/instance/runtime', { runtime: 'opencode' }, tenant)
    expect([status, body.message]).toEqual([409, expect.stringMatching(/Keep Pro first/)])
    subscriptions.set(tenant.userId, pays('pro'))
    expect((await call('PUT', '/instance/runtime', { runtime: 'opencode' }, tenant)).status).toBe(202)
  })
})
