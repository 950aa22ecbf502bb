import { type CostWorld, listed, openCostWorld } from './cost-world.ts'

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

describe('the store calls of an operation', () => {
  /** A GET minds nothing that it does not know, so what it costs is measured by what it does. */
  const people = listed.filter(
    ([, , { auth, http }]) => !['llm', 'files', 'agent'].includes(auth) && http.method !== 'GET',
  )

  test.each(people)('%s: to be let in and refused costs one call of one unit, or none', async (_, areaName, one) => {
    const { headers } = one.auth === 'pat' ? await world.bearer(['api:llm']) : await world.session()
    const { status, calls } = await world.measure(areaName, one, {
      headers,
      query: { 'no-such-field': '1' },
      body: { 'no-such-field': 1 },
    })
    // Whoever has no secret of a hook hears the same, whatever is asked.
    if (one.id !== 'reportLeakedToken') expect(status).toBe(one.id === 'receiveDelivery' ? 401 : 400)
    expect(calls).toHaveLength(one.auth === 'none' && !one.limit ? 0 : 1)
  })
})
