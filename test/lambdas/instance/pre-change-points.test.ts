import { requestPreChangePoint } from '../../../app/files/restore-points.ts'
import { minuteMs } from '../../../domain/time.ts'
import { type McpTenant, type McpWorld, openMcpWorld } from '../mcp/mcp-world.ts'

let world: McpWorld
let me: McpTenant

beforeAll(async () => {
  world = await openMcpWorld()
})
beforeEach(async () => {
  me = await world.tenant()
})
afterAll(() => world.close())

const points = () => world.ports.restorePoints.list(me.userId)
const ask = async (path: string, body = {}) => {
  const headers = { authorization: `Bearer ${await me.mint(['mcp:*'])}`, 'content-type': 'application/json' }
  const answer = await fetch(`${world.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return [answer.status, await answer.json()] as const
}

describe('a restore point before a change', () => {
  test('is requested from the machine before a refresh', async () => {
    expect((await ask('/instance/refresh'))[0]).toBe(202)
    const [point, ...more] = await points()
    expect([point, more]).toEqual([expect.objectContaining({ reason: 'refresh', state: 'making' }), []])
    expect(await world.ports.tasks.find(me.userId, point?.taskId ?? '')).toMatchObject({ state: 'open' })
  })

  test('is requested once for several persona changes in a row, and not for an unchanged persona', async () => {
    expect((await ask('/personas/default/activate'))[0]).toBe(200)
    expect(await points()).toEqual([])
    expect((await ask('/personas/friendly-coach/activate'))[0]).toBe(200)
    expect((await ask('/personas/friendly-coach/deactivate'))[0]).toBe(200)
    expect(await points()).toEqual([expect.objectContaining({ reason: 'persona', state: 'making' })])
  })

  test('is requested again after some time or a failure, but never during another one', async () => {
    const now = Date.now()
    const another = (atMs: number) => requestPreChangePoint(world.ports, me.instance, 'persona', atMs)
    await another(now)
    await another(now + 9 * minuteMs)
    expect(await points()).toHaveLength(1)
    const failed = { state: 'failed' as const, completedAt: null, summary: null, newBytes: null, failure: 'No room.' }
    await world.ports.restorePoints.finish(me.userId, (await points())[0]?.id ?? '', failed)
    await another(now + 9 * minuteMs)
    expect(await points()).toHaveLength(2)
    await another(now + 20 * minuteMs)
    expect(await points()).toHaveLength(2)
    await world.ports.restorePoints.finish(me.userId, (await points())[0]?.id ?? '', failed)
    await another(now + 20 * minuteMs)
    expect(await points()).toHaveLength(3)
  })

  test('is not requested from a machine that does not run', async () => {
    await requestPreChangePoint(world.ports, { ...me.instance, state: 'paused' }, 'refresh', Date.now())
    await requestPreChangePoint(world.ports, null, 'persona', Date.now())
    expect(await points()).toEqual([])
  })

  test('never blocks a change, even when the store fails', async () => {
    const broken = { ...world.ports.restorePoints, list: () => Promise.reject(new Error('no store')) }
    await requestPreChangePoint({ ...world.ports, restorePoints: broken }, me.instance, 'refresh', Date.now())
    expect(await points()).toEqual([])
  })
})
