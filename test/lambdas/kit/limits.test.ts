import { maxPersonas } from '../../../domain/catalogue/persona-limits.ts'
import { minuteMs } from '../../../domain/time.ts'
import { catalogueArea } from '../../../lambdas/catalogue/index.ts'
import { filesArea } from '../../../lambdas/files/index.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { openWorld, type Tenant, type TestRequest, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ areas: [catalogueArea, filesArea, instanceArea], clock: 'running' })
})
afterAll(() => world.close())

/** Sends 50 concurrent requests and returns the number of successes. */
async function fifty({ userId }: Tenant, request: (n: number) => TestRequest): Promise<number> {
  const { headers } = await world.session(userId)
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => world.request({ ...request(n), headers })))
  expect(answers.filter(({ status }) => status >= 300).map(({ status }) => status)).not.toContain(500)
  return answers.filter(({ status }) => status < 300).length
}

describe('under 50 concurrent requests', () => {
  test('a starter gets at most five schedules', async () => {
    const tenant = await world.tenant({ plan: 'starter' })
    const schedule = { method: 'POST', path: '/instance/schedules', body: { cron: '0 8 * * *', text: 'hello' } }
    expect(await fifty(tenant, () => schedule)).toBe(5)
    const [first, ...others] = await world.ports.schedules.list(tenant.userId)
    expect(others).toHaveLength(4)
    world.clock.nowMs += 2 * minuteMs
    const { headers } = await world.session(tenant.userId)
    await world.request({ method: 'DELETE', path: `/instance/schedules/${first?.id}`, headers })
    expect((await world.request({ ...schedule, headers })).status).toBe(201)
    expect((await world.request({ ...schedule, headers })).status).toBe(409)
  })

  test('at most one restore point is in progress', async () => {
    const tenant = await world.tenant()
    expect(await fifty(tenant, () => ({ method: 'POST', path: '/instance/restore-points' }))).toBe(1)
    expect(await world.ports.restorePoints.list(tenant.userId)).toHaveLength(1)
    expect(await world.ports.tasks.listOpen(tenant.userId)).toHaveLength(1)
  })

  test('a user gets at most the allowed number of personas', async () => {
    const tenant = await world.tenant()
    const persona = { basedOn: 0, name: 'Mine', description: '', files: [{ path: 'SOUL.md', text: 'be kind' }] }
    const made = await fifty(tenant, (n) => ({ method: 'PUT', path: `/personas/mine-${n}`, body: persona }))
    expect(made).toBe(maxPersonas)
    world.clock.nowMs += 2 * minuteMs
    const { headers } = await world.session(tenant.userId)
    const [{ id = '' } = {}] = (await world.ports.catalogue.choices(tenant.userId)).personas
    expect((await world.request({ method: 'DELETE', path: `/personas/${id}`, headers })).status).toBe(200)
    expect((await world.request({ method: 'PUT', path: '/personas/another', body: persona, headers })).status).toBe(200)
  })
})
