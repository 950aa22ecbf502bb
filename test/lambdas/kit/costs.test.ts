import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { type CostWorld, listed, openCostWorld } from './cost-world.ts'

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

/** Who has no secret hears so, whatever is asked. */
const unproven = new Set(['receiveDelivery', 'receiveTelegram', 'receiveSlack', 'receiveDiscord'])

const lettingIn = ({ auth }: Pick<AnyOperation, 'auth'>) => {
  if (auth === 'operator') return world.operator()
  return auth === 'pat' ? world.bearer(['api:llm']) : world.session()
}

/** An operator's account is read as well: its address is what lets them in. */
function admissionCalls({ auth, limit }: AnyOperation): number {
  if (auth === 'operator') return 2
  return ['none', 'signed'].includes(auth) && !limit ? 0 : 1
}

describe('the store calls of an operation', () => {
  /** A GET minds nothing that it does not know, so what it costs is measured by what it does. */
  const people = listed.filter(
    ([, , { auth, http }]) => !['llm', 'files', 'agent'].includes(auth) && http.method !== 'GET',
  )

  test.each(people)(
    '%s: to be let in and refused costs one call of one unit or none, an operator two',
    async (_, areaName, operation) => {
      const { headers } = await lettingIn(operation)
      const { status, calls } = await world.measure(areaName, operation, {
        headers,
        query: { 'no-such-field': '1' },
        body: { 'no-such-field': 1 },
      })
      if (operation.id !== 'reportLeakedToken') expect(status).toBe(unproven.has(operation.id) ? 401 : 400)
      expect(calls).toHaveLength(admissionCalls(operation))
    },
  )
})
