import { dayMs, hourMs, iso } from '../../../domain/time.ts'
import { holdTtlMs } from '../../../domain/wallet/holds.ts'
import {
  capsOf,
  dayOf,
  maxLossMicros,
  maxUnpaidMicros,
  newCaps,
  type ReachedLimit,
  unlimited,
} from '../../../domain/wallet/limits.ts'
import { cases } from '../../counts.ts'
import { inject } from '../engine.ts'
import { fresh, now, type World, walletWorld } from './wallet-world.ts'

let world: World
beforeAll(async () => {
  world = await walletWorld()
})
afterAll(() => world.close())

const ask = (boundMicros: number, trigger: 'chat' | 'heartbeat' = 'chat') => ({
  boundMicros,
  minimumMicros: boundMicros,
  generation: 1,
  trigger,
})
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'held',
    (error: { code?: string }) => error.code ?? 'other',
  )
const line = (callId: string) => ({ description: 'Model call', receipt: world.receipt(callId, 700), at: iso(now) })

describe('no overdraft (LiteLLM #34732, one-api #2440: budgets that are checked, then overrun)', () => {
  it('charges exactly fifty of all concurrent calls when the money covers fifty', async () => {
    const userId = await world.richUser(50 * 1_000)
    const calls = cases(10_000)
    const outcomes: Record<string, number> = {}
    let next = 0
    const caller = async () => {
      // A wallet has at most ten open holds, so a few calls may end before fifty were admitted; then the test makes
      // more calls.
      while (next < calls || !outcomes['wallet-empty']) {
        next++
        const callId = fresh('call')
        const result = await world.port.hold(userId, callId, ask(1_000), now).catch((error) => error.code)
        const outcome = result.held ? 'charged' : (result.because ?? result)
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        if (result.held) await world.settle(userId, callId, 1_000, 1_000, result.total)
      }
    }
    await Promise.all(Array.from({ length: cases(64) }, caller))
    const { charged, ...refused } = outcomes
    expect(charged).toBe(50)
    expect(Object.keys(refused).every((code) => ['wallet-empty', 'rate-limited', 'limited'].includes(code))).toBe(true)
    expect(Object.values(refused).reduce((sum, count) => sum + count, 0)).toBe(next - 50)
    expect(await world.checked(userId)).toMatchObject({ available: 0, total: 0, owed: 0, holds: {} })
  })
})

describe('the cost of calls above the wallet’s balance', () => {
  it('is written off up to a dollar a day; then no hold is granted until the next day', async () => {
    const [userId, other] = [await world.richUser(10_000), await world.richUser(10_000)]
    const lose = async (micros: number) => {
      const callId = fresh('call')
      await world.port.hold(userId, callId, ask(10), now)
      const { available } = await world.port.read(userId)
      await world.settle(userId, callId, 10 + available + micros, 10)
      await world.port.creditOnce(userId, fresh('chk'), 10_000, 'adjustment', 'More', iso(now))
    }
    await lose(maxLossMicros - 1)
    expect((await world.port.read(userId)).lost).toEqual({ [dayOf(now)]: maxLossMicros - 1 })
    await lose(1)
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1), now))).toBe('spending-limit')
    expect(await codeOf(world.port.hold(other, fresh('call'), ask(1), now))).toBe('held')
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1), now + dayMs))).toBe('held')
    await world.checked(userId)
    await world.port.hold(userId, fresh('call'), ask(1), now + 3 * dayMs)
    expect((await world.port.read(userId)).lost).toEqual({})
  })

  it('counts when a call ends after its hold expired', async () => {
    const userId = await world.richUser(1_000)
    const callId = fresh('call')
    await world.port.hold(userId, callId, ask(700), now)
    const [hold] = Object.values((await world.port.read(userId)).holds)
    await world.port.expire(userId, callId, hold as never, iso(now + holdTtlMs + 1)) // there is one
    await world.settle(userId, callId, 5_000, 700)
    expect((await world.port.read(userId)).lost).toEqual({ [dayOf(now)]: 4_000 })
  })
})

describe('a provider’s bill for a failed call', () => {
  const fail = async (userId: string, unpaidMicros: number) => {
    const callId = fresh('call')
    await world.port.hold(userId, callId, ask(700), now)
    return settleFailed(userId, callId, unpaidMicros)
  }
  const settleFailed = (userId: string, callId: string, unpaidMicros: number) => {
    const receipt = { ...world.receipt(callId, 700), settledBecause: 'upstream-error' as const, startedAt: iso(now) }
    const failure = { reason: 'error-in-answer' as const, unpaidMicros }
    return world.port.settle(userId, callId, 0, { description: 'Call', receipt, at: iso(now), failure }, null)
  }

  it('is a ledger entry of zero with no hold, no call and no loss that blocks the wallet until midnight', async () => {
    const userId = await world.richUser(10_000)
    expect(await fail(userId, 50 * maxLossMicros)).toMatchObject({ amountMicros: 0, balanceMicros: 10_000 })
    expect(await world.checked(userId)).toMatchObject({ available: 10_000, holds: {}, lost: {} })
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1), now))).toBe('held')
    expect(await world.port.usageCounts(userId, iso(now).slice(0, 10), iso(now).slice(0, 10))).toEqual([])
  })

  it('blocks its wallet for the rest of the hour once the bills reach their limit, and no other wallet', async () => {
    const [userId, other] = [await world.richUser(10_000), await world.richUser(10_000)]
    for (let i = 0; i < 9; i++) await fail(userId, maxUnpaidMicros)
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1), now))).toBe('held')
    await fail(userId, maxUnpaidMicros)
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1), now))).toBe('rate-limited')
    expect(await codeOf(world.port.hold(other, fresh('call'), ask(1), now))).toBe('held')
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1), now + hourMs))).toBe('held')
    await world.checked(userId)
  })

  it('adds nothing to the ledger entry of a hold that had expired', async () => {
    const userId = await world.richUser(1_000)
    const callId = fresh('call')
    await world.port.hold(userId, callId, ask(700), now)
    const [hold] = Object.values((await world.port.read(userId)).holds)
    await world.port.expire(userId, callId, hold as never, iso(now + holdTtlMs + 1)) // there is one
    expect(await settleFailed(userId, callId, 5)).toBeNull()
    const { items } = await world.port.transactions(userId, { after: null, limit: 50, type: 'usage' })
    expect(items.map(({ receipt }) => receipt?.settledBecause)).toEqual(['expired'])
  })

  it('is written once', async () => {
    const userId = await world.richUser(10_000)
    const line = await fail(userId, 5)
    const callId = line?.receipt?.callId ?? ''
    const again = { description: 'Call', receipt: world.receipt(callId, 700), at: iso(now) }
    expect(await world.port.settle(userId, callId, 700, again, null)).toBeNull()
    expect((await world.checked(userId)).available).toBe(10_000)
  })
})

describe('a reached limit', () => {
  const limit = { of: 'month', period: '2026-11', capMicros: 5, token: { id: 'tok_a', name: 'laptop' } } as const

  it('is recorded once by one of several concurrent calls, and only that call writes the event', async () => {
    const userId = await world.richUser(1_000)
    const note = (reached: ReachedLimit) =>
      world.port.noteReached(userId, reached, now, world.ports.events.entry(userId, 'wallet.limit_reached', {}))
    const noted = await Promise.all(Array.from({ length: 6 }, () => note(limit)))
    expect(noted.filter(Boolean)).toHaveLength(1)
    for (const other of [
      { ...limit, period: '2026-12' },
      { ...limit, capMicros: 6 },
      { ...limit, token: { id: 'tok_b', name: 'laptop' } },
      { ...limit, of: 'day', period: '2026-11-20', token: null } as const,
    ])
      expect([await note(other), await note(other)]).toEqual([true, false])
    expect(await world.ports.events.after(userId, 'evt_', 50)).toHaveLength(5)
  })
})

describe('caps', () => {
  it('allow exactly the day’s amount, however many calls run at once, and reset the next day', async () => {
    const userId = await world.richUser(100_000_000)
    const calls = Array.from({ length: 10 }, () => fresh('call'))
    const codes = await Promise.all(calls.map((callId) => codeOf(world.port.hold(userId, callId, ask(1_000_000), now))))
    expect(codes.filter((code) => code === 'held')).toHaveLength(5)
    const held = calls.filter((_, i) => codes[i] === 'held')
    await Promise.all(held.map((callId) => world.settle(userId, callId, 1_000_000, 1_000_000)))
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1), now))).toBe('spending-limit')
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(5_000_000), now + 864e5))).toBe('held')
  })

  it('count the final cost of calls, by trigger', async () => {
    const userId = await world.richUser(100_000_000)
    await world.port.setCaps(userId, { ...newCaps, heartbeat: 1_000 }, now)
    const callId = fresh('call')
    await world.port.hold(userId, callId, ask(1_000, 'heartbeat'), now)
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1, 'heartbeat'), now))).toBe('rate-limited')
    await world.settle(userId, callId, 400, 1_000)
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(601, 'heartbeat'), now))).toBe('spending-limit')
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(600, 'heartbeat'), now))).toBe('held')
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(2_000, 'chat'), now))).toBe('held')
  })

  it('count a call on the UTC day it began, to the millisecond, even when it ends on the next', async () => {
    const userId = await world.richUser(100_000_000)
    const lastMs = Date.parse('2026-11-20T23:59:59.999Z')
    const hold = (micros: number, at: number) => codeOf(world.port.hold(userId, fresh('call'), ask(micros), at))
    const callId = await world.hold(userId, 4_000_000, { at: lastMs })
    expect(await hold(5_000_000, lastMs + 1)).toBe('held')
    await world.settle(userId, callId, 1_000_000, 4_000_000)
    expect(await hold(1, lastMs + 1)).toBe('rate-limited')
    expect([await hold(4_000_001, lastMs), await hold(4_000_000, lastMs), await hold(1, lastMs)]).toEqual([
      'rate-limited',
      'held',
      'rate-limited',
    ])
  })

  it('keep the amount spent today when they change, even in the middle of calls', async () => {
    const userId = await world.richUser(100_000_000)
    await world.hold(userId, 3_000_000)
    inject(() => world.hold(userId, 500_000), 2)
    const caps = capsOf({ dailyCapCents: 400, triggerCapsCents: {} })
    await world.port.setCaps(userId, caps, now)
    expect(caps).toMatchObject({ day: 4_000_000, chat: unlimited })
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(500_001), now))).not.toBe('held')
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(500_000), now))).toBe('held')
  })
})

describe('a frozen wallet', () => {
  it('grants no hold, while settlements and credits continue', async () => {
    const userId = await world.richUser(1_000)
    const callId = await world.hold(userId, 700)
    expect([
      await world.port.freeze(userId, 'fraud warning', now),
      await world.port.freeze(userId, 'again', now + 1),
    ]).toEqual([true, false])
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1), now))).toBe('wallet-suspended')
    await world.settle(userId, callId, 100, 700)
    await world.port.creditOnce(userId, 'more', 100, 'topup', 'Top-up', iso(now))
    expect(await world.checked(userId)).toMatchObject({ available: 1_000, frozen: 'fraud warning' })
    expect([await world.port.unfreeze(userId, now), await world.port.unfreeze(userId, now + 1)]).toEqual([true, false])
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1), now))).toBe('held')
  })
})

describe('an expired hold', () => {
  const open = { micros: 700, expiresMs: now + holdTtlMs, trigger: 'chat' as const }
  const late = iso(now + holdTtlMs)

  it('returns its money and writes one ledger entry of zero', async () => {
    const userId = await world.richUser(1_000)
    const callId = await world.hold(userId, 700)
    const lines = await Promise.all([1, 2, 3].map(() => world.port.expire(userId, callId, open, late)))
    expect(lines.filter((line) => line !== null)).toMatchObject([
      {
        type: 'usage',
        amountMicros: 0,
        balanceMicros: 1_000,
        receipt: { settledBecause: 'expired', heldMicros: 700, callId },
      },
    ])
    expect(await world.checked(userId)).toMatchObject({ available: 1_000, holds: {} })
  })

  it('still pays a late settlement once, as far as the balance covers it', async () => {
    for (const [left, taken] of [
      [1_000, 250],
      [100, 100],
      [0, 0],
    ] as const) {
      const userId = await world.richUser(1_000)
      const callId = await world.hold(userId, 700)
      await world.port.expire(userId, callId, open, late)
      if (left < 1_000) await world.debit(userId, 1_000 - left)
      const settled = await Promise.all([1, 2, 3].map(() => world.settle(userId, callId, 250, 700, 1_000)))
      const written = settled.filter((line) => line !== null)
      expect(written).toMatchObject([{ balanceMicros: left - taken, receipt: { settledMicros: taken } }])
      expect((await world.checked(userId)).available).toBe(left - taken)
      expect(await world.port.expire(userId, callId, open, late)).toBeNull()
    }
  })

  it('changes nothing when its call was settled or voided', async () => {
    const userId = await world.richUser(1_000)
    const settled = await world.hold(userId, 700)
    await world.settle(userId, settled, 250, 700)
    const voided = await world.hold(userId, 700)
    await Promise.all([world.port.void(userId, voided), world.port.void(userId, voided)])
    expect(await world.port.expire(userId, settled, open, late)).toBeNull()
    expect(await world.port.expire(userId, voided, open, late)).toBeNull()
    expect(await world.port.settle(userId, voided, 100, line(voided), null)).toBeNull()
    expect(await world.checked(userId)).toMatchObject({ available: 750, holds: {} })
  })
})

describe('a debt', () => {
  it('blocks spending, and money returned from holds pays it first', async () => {
    const userId = await world.richUser(1_000)
    const callId = await world.hold(userId, 700)
    await world.debit(userId, 800)
    expect(await world.checked(userId)).toMatchObject({ available: 0, owed: 500 })
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(1), now))).toBe('wallet-empty')
    // Even a call that costs nothing is blocked: the debt is paid first.
    expect(await codeOf(world.port.hold(userId, fresh('call'), ask(0), now))).toBe('wallet-empty')
    await world.settle(userId, callId, 100, 700, 1_000)
    expect(await world.checked(userId)).toMatchObject({ available: 100, owed: 0, total: 100 })
  })
})
