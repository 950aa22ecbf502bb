import { DomainError } from '../../../domain/errors.ts'
import { iso } from '../../../domain/time.ts'
import { holdTtlMs } from '../../../domain/wallet/holds.ts'
import { full, most } from '../../counts.ts'
import { randomOf } from '../../domain/wallet/model.ts'
import { fresh, now, type World, walletWorld } from './wallet-world.ts'

let world: World
beforeAll(async () => {
  world = await walletWorld()
})
afterAll(() => world.close())

/** The cost of every call in this file, and so the maximum charge for one. */
const cost = 300

/** Runs one user's open call with three concurrent moves of any kind, one of them twice, then checks the books. */
async function interleave(seed: number): Promise<void> {
  const random = randomOf(seed)
  const userId = await world.richUser(500 + random(2_000))
  const calls: { callId: string; micros: number }[] = []
  const hold = async () => {
    const callId = fresh('call')
    const ask = { boundMicros: 1 + random(900), minimumMicros: 1, generation: 1 }
    const result = await world.port.hold(userId, callId, ask, now).catch(refused)
    if (result?.held) calls.push({ callId, micros: result.micros })
  }
  await hold()
  const moves = [
    hold,
    ({ callId, micros }: (typeof calls)[0]) => world.settle(userId, callId, cost, micros),
    ({ callId }: (typeof calls)[0]) => world.port.void(userId, callId),
    ({ callId, micros }: (typeof calls)[0]) =>
      world.port.expire(userId, callId, { micros, expiresMs: now + holdTtlMs, trigger: 'chat' }, iso(now)),
    () => world.port.creditOnce(userId, `k${random(2)}`, 1 + random(900), 'topup', 'Credit', iso(now)),
    () => debit(userId, `refund#${random(2)}`, random(2) ? 'start' : 'k0', 1 + random(1_500)),
    () => world.port.undoDebit(userId, `refund#${random(2)}`, 'Won', iso(now)),
  ]
  const some = Array.from({ length: 3 }, () => moves[random(moves.length)])
  await Promise.all(some.map((move) => move?.(calls[0] ?? { callId: 'call_none', micros: 1 })))
  await world.checked(userId)
  if (random(10) > 0) return
  const charged = new Map<string, number>()
  for await (const { receipt, amountMicros } of world.port.lines(userId, 0, now * 2)) {
    if (receipt) charged.set(receipt.callId, (charged.get(receipt.callId) ?? 0) - amountMicros)
  }
  for (const micros of charged.values()) expect(micros).toBeLessThanOrEqual(cost)
}

const debit = (userId: string, key: string, payment: string, amountMicros: number) =>
  world.port
    .debitOnce(userId, { key, payment, amountMicros, type: 'refund', description: 'Refund', at: iso(now) })
    .catch(refused)

const refused = (error: unknown): null => {
  if (error instanceof DomainError) return null
  throw error
}

describe('any interleaving on the store', () => {
  it('keeps the books balanced, and its ledger alone rebuilds the wallet', async () => {
    const count = full ? most(20_000, 4_000) : 80
    let seed = 0
    const worker = async () => {
      while (seed < count) {
        const mine = ++seed
        await interleave(mine).catch((error: unknown) => {
          throw new Error(`interleaving ${mine}: ${error instanceof Error ? error.message : error}`)
        })
      }
    }
    await Promise.all(Array.from({ length: 12 }, worker))
    expect(seed).toBe(count)
  }, 1_800_000)
})
