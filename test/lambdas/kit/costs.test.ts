import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { type CostWorld, listed, openCostWorld } from './cost-world.ts'

let world: CostWorld
beforeAll(async () => {
  world = await openCostWorld()
})
afterAll(() => world.close())

/** A caller without the secret is refused before any check. */
const unproven = new Set(['receiveDelivery', 'receiveTelegram', 'receiveSlack', 'receiveDiscord'])

const lettingIn = ({ auth }: Pick<AnyOperation, 'auth'>) => {
  if (auth === 'operator') return world.operator()
  return auth === 'pat' ? world.usedBearer(['api:llm']) : world.session()
}

/**
 * The admission reads a token or session and writes its user's rate window. It also reads an operator's account for its
 * address.
 */
function admissionCalls({ auth, limit }: AnyOperation): number {
  if (auth === 'operator') return 3
  if (auth !== 'none' && auth !== 'signed') return 2
  return limit ? 1 : 0
}

describe('the store requests of an operation', () => {
  /** A GET ignores unknown query parameters, so a refused call needs another method. */
  const people = listed.filter(
    ([, , { auth, http }]) => !['llm', 'files', 'agent'].includes(auth) && http.method !== 'GET',
  )

  test.each(people)(
    '%s: a refused call costs a stranger at most one request, a user two, an operator three',
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
