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
  return auth === 'pat' ? world.usedBearer(['api:llm']) : world.session()
}

/** A token or session is read, and its user's window written. An operator's account is read as well: its address is what lets them in. */
function admissionCalls({ auth, limit }: AnyOperation): number {
  if (auth === 'operator') return 3
  if (auth !== 'none' && auth !== 'signed') return 2
  return limit ? 1 : 0
}

describe('the store calls of an operation', () => {
  /** A GET minds nothing that it does not know, so what it costs is measured by what it does. */
  const people = listed.filter(
    ([, , { auth, http }]) => !['llm', 'files', 'agent'].includes(auth) && http.method !== 'GET',
  )

  test.each(people)(
    '%s: to be let in and refused costs a stranger one call or none, a user two, an operator three',
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
