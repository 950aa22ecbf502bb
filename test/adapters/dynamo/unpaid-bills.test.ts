import { DomainError } from '../../../domain/errors.ts'
import { hourMs, iso } from '../../../domain/time.ts'
import { holdTtlMs, maxHolds } from '../../../domain/wallet/holds.ts'
import { hourOf, maxUnpaidMicros, newCaps, unlimited } from '../../../domain/wallet/limits.ts'
import { cases, most } from '../../counts.ts'
import { randomOf } from '../../domain/wallet/model.ts'
import { intercept } from '../engine.ts'
import { fresh, now, type World, walletWorld } from './wallet-world.ts'

let world: World
beforeAll(async () => {
  world = await walletWorld()
})
afterAll(() => world.close())

/** The largest bill counted for one failed call, in µUSD; docs/proxy.md has the arithmetic. */
const mostCounted = 100_000

interface Call {
  callId: string
  heldMicros: number
  atMs: number
  /** The provider's bill, in µUSD. */
  billMicros: number
  failed: boolean
  end: 'open' | 'settled' | 'expired'
  endedMs: number
}

/** One wallet and its calls. Some succeed, some fail although the provider bills them, and some expire. */
class Bills {
  readonly #userId: string
  readonly #random: (below: number) => number
  readonly #calls: Call[] = []
  /** Greatest count of each UTC hour. */
  readonly counted = new Map<number, number>()
  readonly lost = new Map<number, number>()
  #nowMs = now
  constructor(userId: string, random: (below: number) => number) {
    this.#userId = userId
    this.#random = random
  }

  /** Up to twelve concurrent moves, some of which meet a fault of the store. */
  async step(): Promise<void> {
    const moves = Array.from({ length: 1 + this.#random(12) }, () => (this.#random(5) < 3 ? this.#hold() : this.#end()))
    await Promise.all(moves)
    await this.#look()
    if (this.#random(25) === 0) this.#nowMs += this.#random(hourMs)
  }

  async #hold(): Promise<void> {
    const random = this.#random
    const billMicros = random(3) === 0 ? random(400_000) : random(30_000)
    const ask = { boundMicros: billMicros + random(20_000), minimumMicros: 1, generation: 1 }
    const call: Call = {
      callId: fresh('call'),
      heldMicros: 0,
      atMs: this.#nowMs,
      billMicros,
      failed: random(3) > 0,
      end: 'open',
      endedMs: 0,
    }
    const result = await world.port.hold(this.#userId, call.callId, ask, this.#nowMs).catch(refused)
    if (result?.held) this.#calls.push({ ...call, heldMicros: result.micros })
  }

  async #end(): Promise<void> {
    const open = this.#calls.filter(({ end }) => end === 'open')
    const call = open[this.#random(Math.max(1, open.length))]
    if (!call) return
    call.endedMs = this.#nowMs
    if (this.#random(30) === 0) {
      call.end = 'expired'
      const hold = { micros: call.heldMicros, expiresMs: call.atMs + holdTtlMs, trigger: 'heartbeat' as const }
      await world.port.expire(this.#userId, call.callId, hold, iso(this.#nowMs))
    } else {
      call.end = 'settled'
      // A function that lost the store's response settles again.
      for (let again = this.#random(2); again >= 0; again--) await this.settle(call)
    }
  }

  async settle({ callId, heldMicros, atMs, billMicros, failed }: Call): Promise<void> {
    const receipt = {
      ...world.receipt(callId, heldMicros),
      startedAt: iso(atMs),
      settledBecause: failed ? ('upstream-error' as const) : ('usage' as const),
    }
    const failure = failed ? { failure: { reason: 'error-in-answer' as const, unpaidMicros: billMicros } } : {}
    const line = { description: 'Model call', receipt, at: iso(this.#nowMs), ...failure }
    await world.port.settle(this.#userId, callId, failed ? 0 : billMicros, line, null)
  }

  async #look(): Promise<void> {
    const { unpaid, lost, holds } = await world.port.read(this.#userId)
    for (const [hour, micros] of Object.entries(unpaid))
      this.counted.set(Number(hour), Math.max(micros, this.counted.get(Number(hour)) ?? 0))
    for (const [day, micros] of Object.entries(lost)) this.lost.set(Number(day), micros)
    for (const [hour, micros] of this.counted) {
      const open = Object.values(holds).filter(({ expiresMs }) => hourOf(expiresMs - holdTtlMs) === hour).length
      // Each hold was granted below the limit, so only the holds open at that moment can exceed it.
      expect(micros).toBeLessThan(maxUnpaidMicros + (maxHolds - open) * mostCounted)
    }
  }

  /** Ends all calls and compares the provider's books with the wallet's. */
  async close(): Promise<void> {
    for (const call of this.#calls.filter(({ end }) => end === 'open')) {
      await this.settle(call)
      call.end = 'settled'
      call.endedMs = this.#nowMs
    }
    await this.#look()
    await world.checked(this.#userId)
    const charged = new Map<string, number>()
    for await (const { receipt, amountMicros } of world.port.lines(this.#userId, 0, now * 2))
      if (receipt) charged.set(receipt.callId, (charged.get(receipt.callId) ?? 0) - amountMicros)
    const settled = this.#calls.filter(({ end }) => end === 'settled')
    const failedOf = (hour: number) => settled.filter(({ failed, atMs }) => failed && hourOf(atMs) === hour)
    const hours = new Set(settled.map(({ atMs }) => hourOf(atMs)))
    for (const hour of hours) {
      const failed = failedOf(hour)
      const bills = failed.reduce((sum, { billMicros }) => sum + Math.min(billMicros, mostCounted), 0)
      const counted = this.counted.get(hour) ?? 0
      expect(counted).toBeLessThanOrEqual(bills)
      // The first hold of a later hour drops the count, so a call that ends after its hour is counted from zero again.
      if (failed.every(({ endedMs }) => hourOf(endedMs) === hour)) expect([hour, counted]).toEqual([hour, bills])
    }
    for (const { failed, callId } of settled) if (failed) expect(charged.get(callId)).toBe(0)
    const good = settled.filter(({ failed }) => !failed)
    const missing = good.reduce((sum, { callId, billMicros }) => sum + billMicros - (charged.get(callId) ?? 0), 0)
    expect([...this.lost.values()].reduce((sum, micros) => sum + micros, 0)).toBe(missing)
  }
}

const refused = (error: unknown): null => {
  if (error instanceof DomainError) return null
  throw error
}

/**
 * Makes one store request in eight fail, before or after its write, and never two in a row. The returned function ends
 * this.
 */
function failing(random: (below: number) => number): () => void {
  let hasFailed = false
  return intercept(async (send) => {
    const chance = hasFailed ? 16 : random(16)
    hasFailed = chance < 2
    if (chance > 1) return send()
    if (chance === 0) await send()
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  })
}

test('every provider bill is charged, or counted in the hour’s failed bills, or in the day’s loss, and failed bills have a limit', async () => {
  const count = cases(most(200, 40), 4)
  let greatest = 0
  const check = async (seed: number): Promise<void> => {
    const random = randomOf(seed)
    const userId = await world.richUser(random(4) === 0 ? 300_000 : 50_000_000)
    await world.port.setCaps(userId, { ...newCaps, day: unlimited }, now)
    const bills = new Bills(userId, random)
    const off = failing(random)
    try {
      for (let step = 0; step < 40; step++) await bills.step()
    } finally {
      off()
    }
    await bills.close()
    greatest = Math.max(greatest, ...bills.counted.values())
  }
  for (let seed = 1; seed <= count; seed++) await check(seed)
  // A run in which no wallet reaches its limit proves nothing.
  expect(greatest).toBeGreaterThanOrEqual(maxUnpaidMicros)
}, 600_000)
