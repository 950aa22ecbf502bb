import { pointBefore } from '../../../domain/files/point-before.ts'
import { minuteMs } from '../../../domain/time.ts'
import { type House, openHouse, type Tenant } from '../mcp/house.ts'

let house: House
let me: Tenant

beforeAll(async () => {
  house = await openHouse()
}, 60_000)
beforeEach(async () => {
  me = await house.tenant()
})
afterAll(() => house.close())

const points = () => house.stores.restorePoints.list(me.userId)
const ask = async (path: string, body = {}) => {
  const headers = { authorization: `Bearer ${await me.mint(['mcp:*'])}`, 'content-type': 'application/json' }
  const answer = await fetch(`${house.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return [answer.status, await answer.json()] as const
}

describe('a restore point before a change', () => {
  test('is asked of the machine before it is refreshed', async () => {
    expect((await ask('/instance/refresh'))[0]).toBe(202)
    const [point, ...more] = await points()
    expect([point, more]).toEqual([expect.objectContaining({ reason: 'refresh', state: 'making' }), []])
    expect(await house.stores.tasks.find(me.userId, point?.taskId ?? '')).toMatchObject({ state: 'open' })
  })

  test('is asked once for personas changed one after another, and not for one that stays', async () => {
    expect((await ask('/personas/default/activate'))[0]).toBe(200)
    expect(await points()).toEqual([])
    expect((await ask('/personas/friendly-coach/activate'))[0]).toBe(200)
    expect((await ask('/personas/friendly-coach/deactivate'))[0]).toBe(200)
    expect(await points()).toEqual([expect.objectContaining({ reason: 'persona', state: 'making' })])
  })

  test('comes again after a while, and when the last one failed', async () => {
    const now = Date.now()
    const another = (atMs: number) => pointBefore(house.deps, me.instance, 'persona', atMs)
    await another(now)
    await another(now + 9 * minuteMs)
    expect(await points()).toHaveLength(1)
    const failed = { state: 'failed' as const, completedAt: null, census: null, newBytes: null, failure: 'No room.' }
    await house.stores.restorePoints.finish(me.userId, (await points())[0]?.id ?? '', failed)
    await another(now + 9 * minuteMs)
    expect(await points()).toHaveLength(2)
    await another(now + 20 * minuteMs)
    expect(await points()).toHaveLength(3)
  })

  test('is not asked of a machine that does not run', async () => {
    await pointBefore(house.deps, { ...me.instance, state: 'paused' }, 'refresh', Date.now())
    await pointBefore(house.deps, null, 'persona', Date.now())
    expect(await points()).toEqual([])
  })

  test('never stands in the way: a store that fails it lets the change go on', async () => {
    const broken = { ...house.deps.restorePoints, list: () => Promise.reject(new Error('no store')) }
    await pointBefore({ ...house.deps, restorePoints: broken }, me.instance, 'refresh', Date.now())
    expect(await points()).toEqual([])
  })
})
