import { environmentOf } from '../../../app/instance/volume-worker.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { openWorld, type Tenant, type World } from '../../world.ts'

let world: World
let tenant: Tenant
beforeAll(async () => {
  world = await openWorld({ areas: [instanceArea], ports: ['restorePoints', 'tasks', 'machineTokens'] })
})
afterAll(() => world.close())
beforeEach(async () => {
  tenant = await world.tenant({ plan: 'pro' })
})

const call = async (method: 'GET' | 'PUT', path: string, body?: object, of = tenant) =>
  world.request({ method, path, headers: (await world.session(of.userId)).headers, ...(body && { body }) })
const choose = (runtime: string, of = tenant) => call('PUT', '/instance/runtime', { runtime }, of)
const stored = async (of = tenant) => {
  const found = await world.ports.instances.find(of.userId)
  if (!found) throw new Error('the instance is gone')
  return found
}

describe('listRuntimes', () => {
  test('lists the stage’s runtimes and the active one', async () => {
    const { body } = await call('GET', '/instance/runtimes')
    const names = body.runtimes.map(({ name, active }: { name: string; active: boolean }) => [name, active])
    expect(names).toEqual([
      ['opencode', false],
      ['pi', false],
      ['reference', true],
    ])
    expect(body.runtimes[0]).toMatchObject({ plan: 'pro', supports: { stop: true } })
  })
})

describe('setInstanceRuntime', () => {
  test('restarts a running machine with the chosen runtime, after a restore point', async () => {
    expect(await choose('pi')).toMatchObject({
      status: 202,
      body: { instance: { runtime: 'pi', state: 'refreshing' } },
    })
    expect(await world.ports.restorePoints.list(tenant.userId)).toMatchObject([{ reason: 'runtime', state: 'making' }])
    expect(await environmentOf(world.ports, { ...(await stored()), state: 'resuming' })).toMatchObject({
      BERTH_RUNTIME_NAME: 'pi',
    })
  })

  test('sets no runtime name for the reference agent or for a volume worker', async () => {
    expect(await environmentOf(world.ports, await stored())).not.toHaveProperty('BERTH_RUNTIME_NAME')
    const worker = { ...(await stored()), runtime: 'pi', state: 'maintenance-starting' as const }
    expect(await environmentOf(world.ports, worker)).not.toHaveProperty('BERTH_RUNTIME_NAME')
  })

  test('is stored for the next start of a sleeping machine, and does not wake it', async () => {
    tenant = await world.tenant({ plan: 'pro', state: 'paused', desiredState: 'paused', reason: 'user' })
    expect(await choose('opencode')).toMatchObject({ status: 200, body: { instance: { state: 'paused' } } })
    expect(await stored()).toMatchObject({ runtime: 'opencode', state: 'paused' })
    expect(await world.ports.restorePoints.list(tenant.userId)).toEqual([])
  })

  test('names the plan that supports the runtime when the user’s own does not', async () => {
    tenant = await world.tenant({ plan: 'starter' })
    const { status, body } = await choose('opencode')
    expect([status, body.error]).toEqual([409, 'conflict'])
    expect(body.message).toMatch(/needs a machine with 1024 MiB.*Take the plan Pro first/)
    expect((await stored()).runtime).toBe('reference')
    expect((await choose('pi')).status).toBe(202)
  })

  test('does nothing when the runtime is already active', async () => {
    expect(await choose('reference')).toMatchObject({ status: 200, body: { instance: { state: 'running' } } })
    expect(await world.ports.restorePoints.list(tenant.userId)).toEqual([])
  })

  test.each(['openclaw', 'codex', 'nonsense', '../pi'])('rejects %s, which is not offered', async (runtime) => {
    const { status, body } = await choose(runtime)
    expect([status, body.details.runtime]).toEqual([400, [expect.stringContaining('opencode, pi, reference')]])
  })
})
