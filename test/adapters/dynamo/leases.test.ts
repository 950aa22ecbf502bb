import { leases } from '../../../adapters/dynamo/rates/leases.ts'
import { type Engine, startEngine } from '../engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startEngine()
})
afterAll(() => engine.stop())

const slots = { max: 4, ttlMs: 40_000, evictAfterMs: 20_000 }
const now = Date.parse('2026-11-01T12:00:00.000Z')

describe('a lease', () => {
  it('is granted up to the number of slots, however many readers ask at once', async () => {
    const port = leases(engine.env)
    const asked = await Promise.all(Array.from({ length: 12 }, () => port.acquire('many', slots, now)))
    expect(asked.filter(({ acquired }) => acquired)).toHaveLength(4)
  })

  it('is renewed when the same reader asks again, and leaves other readers’ leases alone', async () => {
    const port = leases(engine.env)
    const holders = ['firsttab', 'othertab', 'thirdtab', 'firsttab']
    const held = []
    for (const holder of holders) held.push(await port.acquire('tabs', { ...slots, holder }, now))
    expect(held.every((slot) => slot.acquired)).toBe(true)
    const again = await port.acquire('tabs', { ...slots, holder: 'firsttab' }, now + 1_000)
    const stranger = await port.acquire('tabs', { ...slots, holder: 'tab' }, now + 1_000)
    expect([again.acquired, stranger.acquired]).toEqual([true, true])
    const renewed = await Promise.all(
      held.map((slot) => slot.acquired && port.renew('tabs', slot.id, slots, now + 2_000)),
    )
    expect(renewed).toEqual([false, true, true, false])
    expect((await port.acquire('tabs', { ...slots, holder: 'fifthtab' }, now + 3_000)).acquired).toBe(false)
  })

  it('that is old can be taken over, also after it lapsed', async () => {
    const port = leases(engine.env)
    for (let i = 0; i < 4; i++) await port.acquire('old', slots, now + i)
    expect(await port.acquire('old', slots, now + 10_000)).toEqual({ acquired: false, retryAfterSeconds: 10 })
    expect((await port.acquire('old', slots, now + 20_000)).acquired).toBe(true)
  })
})
