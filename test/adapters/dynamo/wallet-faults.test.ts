import fc from 'fast-check'
import { DomainError } from '../../../domain/errors.ts'
import { iso } from '../../../domain/time.ts'
import type { WalletState } from '../../../domain/wallet/state.ts'
import { most, seeded } from '../../counts.ts'
import { type Fault, inject, intercept, quietly } from '../engine.ts'
import { fresh, now, type World, walletWorld } from './wallet-world.ts'

let world: World
beforeAll(async () => {
  world = await walletWorld()
})
afterAll(() => world.close())

const faults: Fault[] = ['before', 'after', 'throttled', 'conflict']

/** Runs a move once for each request it makes, with that request failing. */
async function withEachRequestFailing(fault: Fault, move: () => Promise<void>): Promise<number> {
  for (let nth = 0; ; nth++) {
    const met = inject(fault, nth)
    await move()
    if (!met()) return nth
  }
}

it('a lost response to a hold: its call finds the hold although the next machine has started', async () => {
  const userId = await world.richUser(1_000)
  let heard = false
  const off = intercept(async (send) => {
    if (heard) return send()
    heard = true
    await send()
    await quietly(() => world.startGeneration(userId, 2))
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  })
  const callId = await world.hold(userId, 700).finally(off)
  await world.settle(userId, callId, 250, 700)
  expect(await world.checked(userId)).toMatchObject({ available: 750, holds: {} })
})

describe.each(faults)('a request that fails with "%s"', (fault) => {
  it('still makes exactly one hold', async () => {
    const met = await withEachRequestFailing(fault, async () => {
      const userId = await quietly(() => world.richUser(1_000))
      const callId = await world.hold(userId, 700)
      const state = await quietly(() => world.checked(userId))
      expect(state).toMatchObject({ available: 300, holds: { [callId]: { micros: 700 } } })
    })
    expect(met).toBe(1)
  })

  it('still settles exactly once and returns the ledger entry', async () => {
    for (const known of [true, false]) {
      const met = await withEachRequestFailing(fault, async () => {
        const { userId, callId } = await quietly(async () => {
          const rich = await world.richUser(1_000)
          return { userId: rich, callId: await world.hold(rich, 700) }
        })
        const line = await world.settle(userId, callId, 250, 700, known ? 1_000 : null)
        expect(line).toMatchObject({ amountMicros: -250, balanceMicros: 750 })
        await quietly(async () => {
          expect(await world.port.transaction(userId, line?.id ?? '')).toEqual(line)
          expect(await world.settle(userId, callId, 250, 700)).toBeNull()
          expect(await world.checked(userId)).toMatchObject({ available: 750, holds: {} })
        })
      })
      expect(met).toBeGreaterThanOrEqual(known ? 1 : 2)
    }
  })

  it('still returns a hold once', async () => {
    await withEachRequestFailing(fault, async () => {
      const { userId, callId } = await quietly(async () => {
        const rich = await world.richUser(1_000)
        return { userId: rich, callId: await world.hold(rich, 700) }
      })
      await world.settle(userId, callId, 0, 700, 1_000)
      expect(await quietly(() => world.checked(userId))).toMatchObject({ available: 1_000, holds: {} })
    })
  })

  it('still credits a checkout once and returns the ledger entry', async () => {
    const met = await withEachRequestFailing(fault, async () => {
      const userId = fresh('usr')
      const record = {
        id: fresh('chk'),
        userId,
        kind: 'topup' as const,
        amountMicros: 5_000_000,
        plan: null,
        sessionId: null,
        createdAt: iso(now),
        state: 'pending' as const,
      }
      await quietly(() => world.ports.checkouts.create(record))
      const line = await world.port.creditCheckout(record, 'Top-up', iso(now))
      expect(line).toMatchObject({ amountMicros: 5_000_000, balanceMicros: 5_000_000 })
      await quietly(async () => {
        expect(await world.port.creditCheckout(record, 'Top-up', iso(now))).toBeNull()
        expect((await world.checked(userId)).total).toBe(5_000_000)
      })
    })
    expect(met).toBeGreaterThanOrEqual(2)
  })

  it('still credits a key once and returns the ledger entry', async () => {
    await withEachRequestFailing(fault, async () => {
      const userId = fresh('usr')
      const credit = () => world.port.creditOnce(userId, 'period', 70, 'subscription_credit', 'Included', iso(now))
      expect(await credit()).toMatchObject({ amountMicros: 70 })
      expect(await quietly(credit)).toBeNull()
      expect((await quietly(() => world.checked(userId))).total).toBe(70)
    })
  })
})

describe('any interleaving', () => {
  const move = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('hold' as const), bound: fc.nat(900), least: fc.nat(900) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('settle' as const), which: fc.nat(20), cost: fc.nat(1_000) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('credit' as const),
        key: fc.nat(4),
        amount: fc.integer({ min: 1, max: 2_000 }),
      }),
    },
  )
  const step = fc.record({
    moves: fc.array(move, { minLength: 1, maxLength: 4 }),
    fault: fc.option(fc.record({ kind: fc.constantFrom(...faults), nth: fc.nat(6) }), { freq: 3 }),
  })
  type Move = typeof move extends fc.Arbitrary<infer M> ? M : never

  it('keeps the books balanced after every step, and charges every call once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const userId = await world.richUser(1_500)
        const held = new Map<string, number>()
        const keys = new Set<number>()
        let total = 1_500

        const make = async (move: Move): Promise<void> => {
          if (move.kind === 'credit') {
            const line = await world.port.creditOnce(userId, `k${move.key}`, move.amount, 'topup', 'Credit', iso(now))
            expect(line !== null && keys.has(move.key)).toBe(false)
            if (line) total += move.amount
            if (line) keys.add(move.key)
          } else if (move.kind === 'hold') {
            const callId = fresh('call')
            const ask = { boundMicros: move.bound, minimumMicros: Math.min(move.least, move.bound), generation: 1 }
            const result = await world.port.hold(userId, callId, ask, now).catch(refused)
            if (result?.held) held.set(callId, result.micros)
          } else {
            const [callId, micros] = [...held][move.which % Math.max(1, held.size)] ?? []
            if (callId === undefined || micros === undefined) return
            held.delete(callId)
            // Settle twice at once, as when a machine retries or a sweep runs in between.
            const twice = [
              world.settle(userId, callId, move.cost, micros, total),
              world.settle(userId, callId, move.cost, micros),
            ]
            const lines = (await Promise.all(twice)).filter((line) => line !== null)
            expect(lines).toHaveLength(Math.min(move.cost, micros) === 0 ? 0 : 1)
            // A cost above the hold is taken as far as the balance covered it at that moment.
            const charged = -(lines[0]?.amountMicros ?? 0)
            expect(charged).toBeGreaterThanOrEqual(Math.min(move.cost, micros))
            expect(charged).toBeLessThanOrEqual(move.cost)
            total -= charged
          }
        }

        for (const { moves, fault } of steps) {
          const off = fault ? inject(fault.kind, fault.nth) : () => false
          await Promise.all(moves.map(make))
          off()
          const state: WalletState = await world.checked(userId)
          expect(state.total).toBe(total)
          expect(Object.fromEntries(Object.entries(state.holds).map(([id, { micros }]) => [id, micros]))).toEqual(
            Object.fromEntries(held),
          )
        }
      }),
      seeded(most(1_000, 300)),
    )
  }, 600_000)
})

const refused = (error: unknown): null => {
  if (error instanceof DomainError) return null
  throw error
}
