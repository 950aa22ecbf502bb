import { operatorsTrail } from '../../../domain/operator/trail.ts'
import { accountArea } from '../../../lambdas/account/index.ts'
import { operatorArea } from '../../../lambdas/operator/index.ts'
import { openWorld } from '../../world.ts'

export const reason = 'Ticket 4711: charged twice'

/** A world with the operators' function, and the requests of its tests. */
export async function openConsole() {
  const world = await openWorld({
    areas: [operatorArea, accountArea],
    ports: ['conversations', 'schedules', 'trials'],
    clock: 'running',
  })
  let keys = 0

  /** Each request is from an operator who has just signed in, with its own key. */
  async function asOperator(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const { headers: own } = await world.operator()
    return world.request({
      method,
      path,
      headers: { ...own, 'Idempotency-Key': `key-${++keys}`, ...headers },
      ...(body && { body }),
    })
  }
  const trail = async (userId: string) => (await world.ports.audit.list(userId, { after: null, limit: 100 })).items
  const wallet = (userId: string) => world.ports.wallets.read(userId)

  async function lines(userId: string) {
    const found = []
    for await (const line of world.ports.wallets.lines(userId, 0, 2 ** 47)) found.push(line)
    return found
  }

  /** Both audit trails contain the change to this user, with the reason. */
  async function expectLines(userId: string, operations: string[]) {
    const done = { reason, actor: { kind: 'operator' } }
    expect(await trail(userId)).toMatchObject(operations.map((operation) => ({ ...done, operation })))
    const own = (await trail(operatorsTrail)).filter(({ user }) => user === userId)
    expect(own).toMatchObject(operations.map((operation) => ({ ...done, operation })))
  }

  return { world, asOperator, trail, wallet, lines, expectLines, keys: () => keys }
}

export type Console = Awaited<ReturnType<typeof openConsole>>
