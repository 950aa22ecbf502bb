import { shardOf } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import { holdTtlMs } from '../../../domain/wallet/holds.ts'
import { newCaps } from '../../../domain/wallet/limits.ts'
import type { WalletState } from '../../../domain/wallet/state.ts'
import { some } from '../../counts.ts'
import { type Fault, inject, intercept, quietly } from '../engine.ts'
import { fresh, now, type World, walletWorld } from './wallet-world.ts'

let world: World
beforeAll(async () => {
  world = await walletWorld()
})
afterAll(() => world.close())

const later = now + holdTtlMs

/** A money move on a prepared wallet: it may be retried, and the wallet's final state is known. */
interface Prepared {
  userId: string
  act(): Promise<unknown>
  after: Partial<WalletState>
}

const held = async (micros = 1_000) => {
  const userId = await world.richUser(micros)
  return { userId, callId: await world.hold(userId, 700) }
}
const hold = { micros: 700, expiresMs: later, trigger: 'chat' as const }
const payment = async () => {
  const userId = fresh('usr')
  const facts = { kind: 'topup' as const, plan: null, sessionId: null, createdAt: iso(now), state: 'pending' as const }
  const record = { id: fresh('chk'), userId, amountMicros: 1_000, ...facts }
  await world.ports.checkouts.create(record)
  return record
}
const refund = (userId: string, of: string, amountMicros: number) => {
  const about = { type: 'refund' as const, description: 'Refund', at: iso(now) }
  return world.port.debitOnce(userId, { key: 'refund#re_1', payment: of, amountMicros, ...about })
}

/** Every money move of the wallet. The sweep expires the holds that a move leaves overdue. */
const moves: Record<string, () => Promise<Prepared>> = {
  hold: async () => {
    const userId = await world.richUser(1_000)
    const callId = fresh('call')
    const ask = { boundMicros: 700, minimumMicros: 700, generation: 1 }
    return { userId, act: () => world.port.hold(userId, callId, ask, now), after: { available: 1_000, total: 1_000 } }
  },
  settle: async () => {
    const { userId, callId } = await held()
    return { userId, act: () => world.settle(userId, callId, 250, 700, 1_000), after: { available: 750, total: 750 } }
  },
  void: async () => {
    const { userId, callId } = await held()
    return { userId, act: () => world.port.void(userId, callId), after: { available: 1_000, total: 1_000 } }
  },
  expire: async () => {
    const { userId, callId } = await held()
    const act = () => world.port.expire(userId, callId, hold, iso(later))
    return { userId, act, after: { available: 1_000, total: 1_000 } }
  },
  'settle late': async () => {
    const { userId, callId } = await held()
    await world.port.expire(userId, callId, hold, iso(later))
    return { userId, act: () => world.settle(userId, callId, 250, 700), after: { available: 750, total: 750 } }
  },
  'credit a checkout': async () => {
    const record = await payment()
    const act = () => world.port.creditCheckout(record, 'Top-up', iso(now))
    return { userId: record.userId, act, after: { available: 1_000, total: 1_000 } }
  },
  'credit a key': async () => {
    const userId = await world.richUser(1_000)
    const act = () => world.port.creditOnce(userId, 'period', 70, 'subscription_credit', 'Included', iso(now))
    return { userId, act, after: { available: 1_070, total: 1_070 } }
  },
  refund: async () => {
    const record = await payment()
    await world.port.creditCheckout(record, 'Top-up', iso(now))
    await world.debit(record.userId, 900)
    return {
      userId: record.userId,
      act: () => refund(record.userId, record.id, 400),
      after: { available: 0, owed: 300 },
    }
  },
  'win a dispute': async () => {
    const record = await payment()
    await world.port.creditCheckout(record, 'Top-up', iso(now))
    await refund(record.userId, record.id, 1_000)
    const act = () => world.port.undoDebit(record.userId, 'refund#re_1', 'Won', iso(now))
    return { userId: record.userId, act, after: { available: 1_000, owed: 0 } }
  },
  'set caps': async () => {
    const { userId } = await held()
    const caps = { ...newCaps, day: 2_000_000 }
    return { userId, act: () => world.port.setCaps(userId, caps, now), after: { available: 1_000, caps } }
  },
  freeze: async () => {
    const { userId } = await held()
    const act = () => world.port.freeze(userId, 'fraud warning', now)
    return { userId, act, after: { available: 1_000, frozen: 'fraud warning' } }
  },
}

/**
 * Makes every request from the n-th on fail, whether it was carried out or not. The returned function ends the outage.
 */
function outage(kind: 'before' | 'after', nth: number): () => boolean {
  let left = nth
  let met = false
  const off = intercept(async (send) => {
    if (left-- > 0) return send()
    met = true
    if (kind === 'after') await send()
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  })
  return () => {
    off()
    return met
  }
}

async function sweep(userId: string): Promise<void> {
  const { holds } = await world.port.due(shardOf(userId), later)
  for (const held of holds.filter((due) => due.userId === userId))
    await world.port.expire(userId, held.callId, held.hold, iso(later))
}

describe.each(Object.keys(moves))('%s', (name) => {
  const prepare = moves[name] ?? (() => Promise.reject(new Error('no such move')))

  it.each(some(['after', 'before'] as const, 1))(
    'is complete after one retry and one sweep when the store fails %s it',
    async (kind) => {
      for (let nth = 0, met = true; met; nth++) {
        const { userId, act, after } = await prepare()
        const end = outage(kind, nth)
        await act().catch(() => undefined)
        met = end()
        await act()
        await sweep(userId)
        expect(await world.checked(userId)).toMatchObject({ ...after, holds: {} })
      }
    },
  )

  it.each(some(['after', 'duplicate', 'before', 'throttled', 'conflict'] as const, 2))(
    'happens once when a request fails with "%s"',
    async (fault) => {
      for (let nth = 0, met = true; met; nth++) {
        const { userId, act, after } = await quietly(prepare)
        const off = fault === 'duplicate' ? () => false : inject(fault satisfies Fault, nth)
        await (fault === 'duplicate' ? Promise.all([act(), act(), act()]) : act())
        met = off()
        await sweep(userId)
        expect(await world.checked(userId)).toMatchObject({ ...after, holds: {} })
      }
    },
  )
})
