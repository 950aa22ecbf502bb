import { get } from '../../../adapters/dynamo/calls.ts'
import type { StoreCall } from '../../../adapters/dynamo/client.ts'
import { walletKey } from '../../../adapters/dynamo/wallet/item.ts'
import { putNew } from '../../../adapters/dynamo/wallet/writes.ts'
import type { CheckoutRecord } from '../../../domain/billing/checkout.ts'
import { shardOf } from '../../../domain/ids.ts'
import { bucketName, bucketOf, limits } from '../../../domain/rates/rate-limits.ts'
import { dayMs, iso } from '../../../domain/time.ts'
import { holdTtlMs, maxHolds } from '../../../domain/wallet/holds.ts'
import { settlementReasons } from '../../../domain/wallet/ledger.ts'
import { capsOf, triggers } from '../../../domain/wallet/limits.ts'
import { heldOf } from '../../../domain/wallet/state.ts'
import { counted, inject } from '../engine.ts'
import { fresh, now, receipt, type World, walletWorld } from './wallet-world.ts'

let world: World
beforeAll(async () => {
  world = await walletWorld()
})
afterAll(() => world.close())

const ask = (boundMicros: number, minimumMicros = boundMicros, generation = 1) => ({
  boundMicros,
  minimumMicros,
  generation,
})

const topUp = async (userId: string, amountMicros: number): Promise<CheckoutRecord> => {
  const record: CheckoutRecord = {
    id: fresh('chk'),
    userId,
    kind: 'topup',
    amountMicros,
    plan: null,
    sessionId: null,
    createdAt: iso(now),
    state: 'pending',
  }
  await world.ports.checkouts.create(record)
  return record
}

describe('hold', () => {
  it('reserves the maximum cost in one request and returns the total', async () => {
    const userId = await world.richUser(1_000_000)
    const { result, calls } = await counted(() => world.port.hold(userId, 'call_a', ask(300_000), now))
    expect(calls.map(({ operation }) => operation)).toEqual(['UpdateItem'])
    const bucket = bucketName('llm', bucketOf(now))
    expect(result).toMatchObject({ held: true, micros: 300_000, total: 1_000_000, counts: { [bucket]: 1 } })
    const state = await world.checked(userId)
    expect(state.available).toBe(700_000)
    expect(state.holds).toEqual({ call_a: { micros: 300_000, expiresMs: now + holdTtlMs, trigger: 'chat' } })
  })

  it('takes the whole balance when that covers the minimum cost', async () => {
    const userId = await world.richUser(500)
    expect(await world.port.hold(userId, 'call_a', ask(900, 400), now)).toMatchObject({ held: true, micros: 500 })
    expect((await world.checked(userId)).available).toBe(0)
  })

  it('is wallet-empty when the balance is below the minimum, and rate-limited when only holds block it', async () => {
    const userId = await world.richUser(500)
    await expect(world.port.hold(userId, 'call_a', ask(900, 501), now)).rejects.toMatchObject({ code: 'wallet-empty' })
    await world.hold(userId, 400)
    await expect(world.port.hold(userId, 'call_b', ask(900, 450), now)).rejects.toMatchObject({ code: 'rate-limited' })
    expect((await world.checked(userId)).available).toBe(100)
  })

  it('returns unknown for an old generation and for a missing wallet', async () => {
    const userId = await world.richUser(500, 2)
    const unknown = { held: false, because: 'unknown' }
    expect(await world.port.hold(userId, 'call_a', ask(1, 1, 1), now)).toMatchObject(unknown)
    expect(await world.port.hold(userId, 'call_a', ask(1, 1, 3), now)).toMatchObject(unknown)
    expect(await world.port.hold('usr_nobody', 'call_a', ask(1), now)).toMatchObject(unknown)
    const paused = await world.richUser(500, 0)
    expect(await world.port.hold(paused, 'call_a', ask(1, 1, 0), now)).toMatchObject(unknown)
    expect((await world.checked(userId)).holds).toEqual({})
  })

  it('charges exactly ten of fifty concurrent calls when the money covers ten', async () => {
    const userId = await world.richUser(10_000)
    const tries = await Promise.allSettled(Array.from({ length: 50 }, () => world.hold(userId, 1_000)))
    const won = tries.filter((attempt) => attempt.status === 'fulfilled').map(({ value }) => value)
    const codes = tries.filter((attempt) => attempt.status === 'rejected').map(({ reason }) => reason.code)
    expect(won).toHaveLength(10)
    expect(codes.every((code) => code === 'wallet-empty' || code === 'rate-limited')).toBe(true)
    expect((await world.checked(userId)).available).toBe(0)
    await Promise.all(won.map((callId) => world.settle(userId, callId, 1_000, 1_000, 10_000)))
    expect(await world.checked(userId)).toMatchObject({ available: 0, total: 0, holds: {} })
    await expect(world.hold(userId, 1_000)).rejects.toMatchObject({ code: 'wallet-empty' })
  })

  it('divides odd amounts under concurrency without going below zero', async () => {
    const userId = await world.richUser(5_500)
    const tries = Array.from({ length: 30 }, () => world.hold(userId, 1_000, { minimum: 200 }))
    const held = (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled')
    const state = await world.checked(userId)
    expect(held).toHaveLength(6)
    expect([state.available, heldOf(state)]).toEqual([0, 5_500])
  })

  it('takes the balance of this moment, not an earlier one', async () => {
    const userId = await world.richUser(500)
    inject(() => world.port.creditOnce(userId, 'more', 300, 'topup', 'Top-up', iso(now)), 1)
    expect(await world.port.hold(userId, 'call_a', ask(900, 100), now)).toMatchObject({ held: true, micros: 800 })
    expect((await world.checked(userId)).available).toBe(0)
  })

  it('allows at most ten open holds', async () => {
    const userId = await world.richUser(1_000_000)
    await Promise.allSettled(Array.from({ length: 25 }, () => world.hold(userId, 1)))
    expect(Object.keys((await world.checked(userId)).holds)).toHaveLength(maxHolds)
  })

  it('admits exactly the rate limit’s number of parallel calls', async () => {
    const userId = await world.richUser(1_000_000)
    let held = 0
    const because: string[] = []
    for (let round = 0; round < 8; round++) {
      const calls = Array.from({ length: 10 }, () => fresh('call'))
      const results = await Promise.all(calls.map((callId) => world.port.hold(userId, callId, ask(1), now)))
      for (const result of results) result.held ? held++ : because.push(result.because)
      await Promise.all(calls.map((callId) => world.settle(userId, callId, 0, 1)))
    }
    expect(held).toBe(limits.llm)
    expect(because).toEqual(Array.from({ length: 20 }, () => 'limited'))
    expect(await world.checked(userId)).toMatchObject({ available: 1_000_000, holds: {} })
  })
})

describe('settle', () => {
  it('charges the cost, returns the rest and writes the ledger entry once, in one request', async () => {
    const userId = await world.richUser(1_000)
    const callId = await world.hold(userId, 700)
    const { result, calls } = await counted(() => world.settle(userId, callId, 250, 700, 1_000))
    expect(calls.map(({ operation }) => operation)).toEqual(['TransactWriteItems'])
    expect(result).toMatchObject({ type: 'usage', amountMicros: -250, balanceMicros: 750, at: iso(now) })
    expect(result?.receipt).toEqual({ ...receipt(callId, 700), settledMicros: 250 })
    expect(await world.checked(userId)).toMatchObject({ available: 750, total: 750, holds: {} })
    expect(await world.port.transaction(userId, result?.id ?? '')).toEqual(result)
    expect(await world.settle(userId, callId, 250, 700, 750)).toBeNull()
    expect(await world.settle(userId, callId, 250, 700)).toBeNull()
    expect((await world.checked(userId)).total).toBe(750)
  })

  it('charges once when ten settlements of the same call run at once', async () => {
    const userId = await world.richUser(1_000)
    const callId = await world.hold(userId, 700)
    const lines = await Promise.all(Array.from({ length: 10 }, () => world.settle(userId, callId, 250, 700, 1_000)))
    expect(lines.filter((line) => line !== null)).toHaveLength(1)
    expect((await world.checked(userId)).total).toBe(750)
  })

  it('trusts the store over its caller’s memory', async () => {
    const userId = await world.richUser(1_000)
    const callId = await world.hold(userId, 700)
    const line = await world.settle(userId, callId, 900, 650, 12)
    expect(line).toMatchObject({ amountMicros: -900, receipt: { heldMicros: 700, settledMicros: 900 } })
    expect(await world.checked(userId)).toMatchObject({ available: 100, total: 100 })
  })

  it('returns the whole hold for a cost of zero, without a ledger entry', async () => {
    const userId = await world.richUser(1_000)
    const callId = await world.hold(userId, 700)
    const { result, calls } = await counted(() => world.settle(userId, callId, 0, 700, 1_000))
    expect([result, calls.length]).toEqual([null, 1])
    expect(await world.settle(userId, callId, 0, 700)).toBeNull()
    expect(await world.checked(userId)).toMatchObject({ available: 1_000, total: 1_000, holds: {} })
  })

  it('rejects a cost that is not a whole amount', async () => {
    const userId = await world.richUser(1_000)
    const callId = await world.hold(userId, 700)
    await expect(world.settle(userId, callId, 0.5, 700)).rejects.toThrow(RangeError)
    await expect(world.settle(userId, callId, -1, 700)).rejects.toThrow(RangeError)
  })
})

describe('requests to DynamoDB', () => {
  const units = (calls: StoreCall[], of: 'CapacityUnits' | 'Table' | 'Indexes') =>
    calls
      .flatMap(({ capacity }) => capacity)
      .reduce((sum, consumed) => {
        const index = Object.values(consumed.GlobalSecondaryIndexes ?? {}).reduce(
          (all, i) => all + (i.CapacityUnits ?? 0),
          0,
        )
        const total = consumed.CapacityUnits ?? 0
        return sum + (of === 'Indexes' ? index : of === 'Table' ? total - index : total)
      }, 0)

  it('the cost of a billed call is 7 units and 2 round trips, with the largest possible wallet', async () => {
    const userId = await world.richUser(400_000_000)
    const cents = 99_999
    const triggerCapsCents = { chat: cents, schedule: cents, heartbeat: cents, tool: cents }
    await world.port.setCaps(userId, capsOf({ dailyCapCents: cents, triggerCapsCents }), now)
    await world.port.recordCheck(userId, { rate: 12_345_678, from: 'none', to: 'days' })
    // Yesterday's counters of every kind are still in the item.
    for (const trigger of triggers) {
      const early = fresh('call')
      await world.port.hold(userId, early, { ...ask(1_234_567), trigger }, now - dayMs)
      await world.settle(userId, early, 1_234, 1_234_567)
    }
    // Calls some time apart leave old counts; nine open holds of every kind make the item as large as it gets.
    for (const before of [3_000_000, 2_500_000, 2_000_000, 1_500_000]) {
      const early = await world.hold(userId, 1_234_567, { at: now - before })
      await world.settle(userId, early, 1_234, 1_234_567)
    }
    for (let i = 1; i <= 9; i++) {
      const asked = { ...ask(12_345_678), trigger: triggers[i % triggers.length] }
      await world.port.hold(userId, fresh('call'), asked, now - (10 - i) * 70_000)
    }
    const callId = fresh('call')
    const held = await counted(() => world.port.hold(userId, callId, ask(12_345_678), now))
    const total = held.result.held ? held.result.total : 0
    const settled = await counted(() => world.settle(userId, callId, 4_321_098, 12_345_678, total))
    expect(settled.result).not.toBeNull()
    expect([held.calls.length, settled.calls.length]).toEqual([1, 1])
    expect(units(held.calls, 'Table')).toBe(1)
    expect(units(settled.calls, 'Table')).toBe(6)
    expect(units([...held.calls, ...settled.calls], 'Indexes')).toBe(0)
    await world.checked(userId)
  })
})

describe('credits', () => {
  it('credit a checkout once, however often its event arrives', async () => {
    const userId = fresh('usr')
    const record = await topUp(userId, 25_000_000)
    const news = Array.from({ length: 12 }, () => world.port.creditCheckout(record, 'Top-up', iso(now)))
    const lines = (await Promise.all(news)).filter((line) => line !== null)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ type: 'topup', amountMicros: 25_000_000, balanceMicros: 25_000_000 })
    expect(await world.checked(userId)).toMatchObject({ available: 25_000_000, generation: 0 })
    expect((await world.ports.checkouts.find(userId, record.id))?.state).toBe('credited')
    expect(await world.port.creditCheckout(record, 'Top-up', iso(now + 3 * 864e5))).toBeNull()
  })

  it('reject an unknown checkout', async () => {
    const record = await topUp(fresh('usr'), 5_000_000)
    const stranger = { ...record, userId: fresh('usr') }
    await expect(world.port.creditCheckout(stranger, 'Top-up', iso(now))).rejects.toMatchObject({ code: 'not-found' })
    expect((await world.checked(stranger.userId)).total).toBe(0)
  })

  it('credit once per key, and different keys concurrently', async () => {
    const userId = await world.richUser(1_000)
    const keys = Array.from({ length: 16 }, (_, i) => `period#${i % 4}`)
    const credit = (key: string) => world.port.creditOnce(userId, key, 50, 'subscription_credit', 'Included', iso(now))
    const lines = await Promise.all(keys.map(credit))
    expect(lines.filter((line) => line !== null)).toHaveLength(4)
    expect((await world.checked(userId)).total).toBe(1_200)
  })

  it('keep the generation and the holds of a wallet in use', async () => {
    const userId = await world.richUser(1_000)
    const callId = await world.hold(userId, 600)
    await world.port.open(userId)
    await world.port.creditOnce(userId, 'more', 10, 'adjustment', 'More', iso(now))
    expect(await world.checked(userId)).toMatchObject({ available: 410, generation: 1, holds: { [callId]: {} } })
  })
})

describe('the ledger', () => {
  it('is read newest first, page by page, filtered by type', async () => {
    const userId = fresh('usr')
    for (let i = 1; i <= 7; i++) {
      const type = i % 2 ? 'adjustment' : 'subscription_credit'
      await world.port.creditOnce(userId, `k${i}`, i, type, `Credit ${i}`, iso(now + i))
    }
    const amounts: number[][] = []
    let after: string | null = null
    do {
      const page = await world.port.transactions(userId, { after, limit: 3 })
      amounts.push(page.items.map(({ amountMicros }) => amountMicros))
      after = page.next
    } while (after)
    expect(amounts).toEqual([[7, 6, 5], [4, 3, 2], [1]])
    const odd = await world.port.transactions(userId, { after: null, limit: 2, type: 'adjustment' })
    expect(odd.items.map(({ amountMicros }) => amountMicros)).toEqual([7, 5])
    const rest = await world.port.transactions(userId, { after: odd.next, limit: 2, type: 'adjustment' })
    expect(rest.items.map(({ amountMicros }) => amountMicros)).toEqual([3, 1])
    expect(rest.next).toBeNull()
  })

  it('reads a bounded number of entries per page for a rare type, then continues on the next page', async () => {
    const userId = fresh('usr')
    await world.port.creditOnce(userId, 'first', 5, 'topup', 'Top-up', iso(now))
    const line = { type: 'adjustment' as const, amountMicros: 1, balanceMicros: 1, at: iso(now), description: 'Any' }
    const ids = Array.from({ length: 1_100 }, () => fresh('txn'))
    for (let i = 0; i < ids.length; i += 50) {
      const some = ids.slice(i, i + 50)
      await Promise.all(some.map((id) => putNew('wallets', { userId, item: id, ...line })))
    }
    const { result, calls } = await counted(() =>
      world.port.transactions(userId, { after: null, limit: 5, type: 'topup' }),
    )
    expect([result.items.length, result.next, calls.length]).toEqual([0, expect.stringMatching(/^txn_/), 6])
    const rest = await world.port.transactions(userId, { after: result.next, limit: 5, type: 'topup' })
    expect([rest.items.length, rest.next]).toEqual([1, null])
  })

  it('shows only the user’s own entries, and only ledger entries', async () => {
    const userId = await world.richUser(10)
    const [line] = (await world.port.transactions(userId, { after: null, limit: 1 })).items
    expect(await world.port.transaction(fresh('usr'), line?.id ?? '')).toBeNull()
    expect(await world.port.transaction(userId, 'wallet')).toBeNull()
    expect(await world.port.transactions(userId, { after: 'wallet', limit: 5 })).toEqual({ items: [], next: null })
  })
})

describe('the reason for an amount', () => {
  /** The reasons that the previous release can read. */
  const lastRelease = ['usage', 'interrupted', 'upstream-error', 'expired']

  it.each(settlementReasons)(
    '%s is read as written, and the previous release reads a reason that it knows',
    async (reason) => {
      const userId = await world.richUser(1_000)
      const callId = await world.hold(userId, 500)
      const written = { ...receipt(callId, 500), settledBecause: reason }
      const line = await world.port.settle(
        userId,
        callId,
        5,
        { description: 'Call', receipt: written, at: iso(now) },
        null,
      )
      expect((await world.port.transaction(userId, line?.id ?? ''))?.receipt).toEqual({ ...written, settledMicros: 5 })
      const item = await get('wallets', { userId, item: line?.id ?? '' })
      expect(lastRelease).toContain(item?.receipt?.M?.settledBecause?.S)
    },
  )
})

describe('overdue holds', () => {
  it('are found even when one is made while a sweep marks the wallet idle', async () => {
    const userId = await world.richUser(1_000)
    const shard = shardOf(userId)
    await world.settle(userId, await world.hold(userId, 100), 0, 100)
    const late = now + holdTtlMs
    inject(() => world.hold(userId, 200, { at: late }), 2)
    await world.port.due(shard, late)
    const { holds } = await world.port.due(shard, late + holdTtlMs)
    expect(holds.filter((held) => held.userId === userId)).toMatchObject([{ hold: { micros: 200 } }])
  })

  it('are found by shard until they are settled, and a wallet without open holds leaves the index', async () => {
    const userId = await world.richUser(1_000)
    const shard = shardOf(userId)
    const first = await world.hold(userId, 100)
    const second = await world.hold(userId, 200, { at: now + 60_000 })
    const due = async (at: number) =>
      (await world.port.due(shard, at)).holds
        .filter((held) => held.userId === userId)
        .map(({ callId, hold }) => ({ callId, micros: hold.micros }))
    expect(await due(now + holdTtlMs - 1)).toEqual([])
    expect(await due(now + holdTtlMs)).toEqual([{ callId: first, micros: 100 }])
    await world.settle(userId, first, 100, 100)
    expect(await due(now + holdTtlMs)).toEqual([])
    expect(await due(now + holdTtlMs + 60_000)).toEqual([{ callId: second, micros: 200 }])
    await world.settle(userId, second, 0, 200)
    expect(await due(now + 2 * holdTtlMs)).toEqual([])
    const { dueShard, dueAt } = (await get('wallets', walletKey(userId))) ?? {}
    expect([dueShard, dueAt]).toEqual([undefined, undefined])
    await world.hold(userId, 300, { at: now + 3 * holdTtlMs })
    expect(await due(now + 5 * holdTtlMs)).toHaveLength(1)
  })
})
