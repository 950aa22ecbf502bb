import { leases } from '../../../adapters/dynamo/leases.ts'
import { type Engine, startEngine } from '../engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startEngine()
})
afterAll(() => engine.stop())

const places = { most: 4, lifeMs: 40_000, yieldAfterMs: 20_000 }
const now = Date.parse('2026-11-01T12:00:00.000Z')

describe('places', () => {
  it('are as many as were said, however many ask at once', async () => {
    const port = leases(engine.env)
    const asked = await Promise.all(Array.from({ length: 12 }, () => port.take('many', places, now)))
    expect(asked.filter(({ taken }) => taken)).toHaveLength(4)
  })

  it('a reader who comes again takes over its own, and nobody else’s', async () => {
    const port = leases(engine.env)
    const holders = ['firsttab', 'othertab', 'thirdtab', 'firsttab']
    const taken = []
    for (const holder of holders) taken.push(await port.take('tabs', { ...places, holder }, now))
    expect(taken.every((one) => one.taken)).toBe(true)
    const again = await port.take('tabs', { ...places, holder: 'firsttab' }, now + 1_000)
    const stranger = await port.take('tabs', { ...places, holder: 'tab' }, now + 1_000)
    expect([again.taken, stranger.taken]).toEqual([true, true])
    const kept = await Promise.all(taken.map((one) => one.taken && port.keep('tabs', one.id, places, now + 2_000)))
    expect(kept).toEqual([false, true, true, false])
    expect((await port.take('tabs', { ...places, holder: 'fifthtab' }, now + 3_000)).taken).toBe(false)
  })

  it('an old one makes room, one that lapsed too', async () => {
    const port = leases(engine.env)
    for (let i = 0; i < 4; i++) await port.take('old', places, now + i)
    expect(await port.take('old', places, now + 10_000)).toEqual({ taken: false, retryAfterSeconds: 10 })
    expect((await port.take('old', places, now + 20_000)).taken).toBe(true)
  })
})
