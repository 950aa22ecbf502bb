import { type CostWorld, listed, openCostWorld } from './cost-world.ts'

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
}, 60_000)
afterAll(() => world.close())

const find = (id: string) => listed.find(([name]) => name === id) ?? listed[0]

describe('the store calls of an operation', () => {
  const people = listed.filter(([, , { auth }]) => !['llm', 'files', 'agent'].includes(auth))

  test.each(people)('%s: to be let in and refused costs one call of one unit, or none', async (_, areaName, one) => {
    world.clock.nowMs = Date.now()
    const { headers } = await world.session()
    const { status, calls } = await world.ask(areaName, one, headers, {
      query: { 'no-such-field': '1' },
      body: { 'no-such-field': 1 },
    })
    if (one.id !== 'reportLeakedToken') expect(status).toBe(400)
    expect(calls).toHaveLength(one.auth === 'none' && !one.limit ? 0 : 1)
  })

  test('another’s id costs what an id that never was costs', async () => {
    world.clock.nowMs = Date.now()
    const [mine, theirs] = [await world.session(), await world.bearer()]
    const [, areaName = '', one] = find('revokeToken') ?? []
    if (!one) throw new Error('no such operation')
    const other = await world.ask(areaName, one, mine.headers, { query: { id: theirs.record.id } })
    const never = await world.ask(areaName, one, mine.headers, { query: { id: `tok_${'a'.repeat(22)}` } })
    expect([other.status, other.calls]).toEqual([404, never.calls])
    expect(never.status).toBe(404)
  })
})
