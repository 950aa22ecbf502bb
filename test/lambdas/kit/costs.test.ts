import { type CostWorld, listed, openCostWorld } from './cost-world.ts'

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

/** Who has no secret hears so, whatever is asked. */
const unproven = new Set(['receiveDelivery', 'receiveTelegram', 'receiveSlack', 'receiveDiscord'])

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
    if (one.id !== 'reportLeakedToken') expect(status).toBe(unproven.has(one.id) ? 401 : 400)
    expect(calls).toHaveLength(['none', 'signed'].includes(one.auth) && !one.limit ? 0 : 1)
  })
})
