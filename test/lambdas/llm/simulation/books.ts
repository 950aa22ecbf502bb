import { auditWallet } from '../../../../app/wallet/books.ts'
import { callLimitMs } from '../../../../domain/models/call-limits.ts'
import type { PricedModel } from '../../../../domain/models/model.ts'
import { minuteMs, secondMs } from '../../../../domain/time.ts'
import { isBalanced } from '../../../domain/wallet/balanced.ts'
import type { World } from '../../../world.ts'
import { type Call, type Expected, expectedOf } from './call.ts'
import { type Clock, tickMs } from './clock.ts'
import type { SimulationResult } from './result.ts'
import type { Ended, User } from './user.ts'

/** Time that docs/identity.md allows open connections after their end, in ms. */
const graceMs = 15 * secondMs
export const sweepEveryMs = minuteMs

interface FailedBill {
  micros: number
  reason: string
}
const noBill: FailedBill = { micros: 0, reason: '' }

interface Surroundings {
  world: World
  clock: Clock
  result: SimulationResult
  closedAccountsBuyNothing: boolean
  /** By model id. */
  prices: ReadonlyMap<string, PricedModel>
}

/** The invariants: every call, wallet and ledger against what providers know. */
export class Books {
  readonly #world: World
  readonly #clock: Clock
  readonly #result: SimulationResult
  readonly #closedAccountsBuyNothing: boolean
  readonly #prices: ReadonlyMap<string, PricedModel>
  /** Descriptions of ended calls without a hold, as far as they were reported, by id. */
  readonly #unheld = new Map<string, string>()

  constructor({ world, clock, result, closedAccountsBuyNothing, prices }: Surroundings) {
    this.#world = world
    this.#clock = clock
    this.#result = result
    this.#closedAccountsBuyNothing = closedAccountsBuyNothing
    this.#prices = prices
  }

  mistake(call: Pick<Call, 'n'> | null, what: string): void {
    this.#result.mistakes.push(`seed ${this.#result.seed}${call ? `, call ${call.n}` : ''}: ${what}`)
  }

  /** Compares a call that ended with its expectation; its bill is compared when the books are closed. */
  ended(user: User, call: Call): void {
    if (call.heldMicros !== null) this.#result.admitted++
    this.#checkLiveness(user, call)
    call.mayBeCut = call.left || user.gone.has(call.generation) || user.closedMs !== null
    const expected = expectedOf(call, (id) => this.#priceOf(id))
    if (expected.fate === 'expired') this.#result.happened.expired++
    this.#checkStatus(call, expected)
    const boughtClosed = this.#isBoughtClosed(user, call)
    if (call.callId === null || call.heldMicros === null) {
      if (call.callId !== null) this.#unheld.set(call.callId, `call ${call.n}, ${call.fault}, answered ${call.status}`)
      return void this.#result.fates[expected.fate].calls++
    }
    user.ended.push({
      n: call.n,
      callId: call.callId,
      expected,
      heldMicros: call.heldMicros,
      durationMs: call.endedMs - call.startedMs,
      boughtClosed,
      why: call.toString(),
    })
  }

  #priceOf(id: string): PricedModel {
    const found = this.#prices.get(id)
    if (!found) throw new Error(`there is no price for ${id}`)
    return found
  }

  #checkStatus(call: Call, { fate }: Expected): void {
    if (call.status === 200 || call.answer?.head) return
    if (fate !== 'refused' && fate !== 'unanswered' && fate !== 'expired')
      this.mistake(call, `answered ${call.status} but counts as ${fate}`)
    if (call.status < 400 || (call.status === 500 && !call.faulted)) this.mistake(call, `answered ${call.status}`)
  }

  #checkLiveness(user: User, call: Call): void {
    const goneMs = user.gone.get(call.generation)
    const dead = goneMs !== undefined && goneMs < call.startedMs
    if (dead) {
      this.#result.happened.dead++
      if (call.heldMicros !== null || call.answer) this.mistake(call, 'a dead generation bought something')
    }
    if (goneMs !== undefined && call.heldMicros !== null && call.endedMs > goneMs + graceMs)
      this.mistake(call, `lived ${call.endedMs - goneMs} ms longer than its generation`)
  }

  #isBoughtClosed({ closedMs }: User, call: Call): boolean {
    if (closedMs === null || call.heldMicros === null) return false
    const bought = call.startedMs > closedMs || call.endedMs > closedMs + graceMs
    if (!bought) return false
    this.#result.closed.calls++
    const after = call.startedMs - closedMs
    if (this.#closedAccountsBuyNothing)
      this.mistake(
        call,
        `a closed account bought something: begun ${after} ms after its end, ended ${call.endedMs - closedMs} ms after`,
      )
    return true
  }

  /** A user's wallet: balanced, never negative, and with holds only for calls that are open or may still expire. */
  async spotCheck(user: User): Promise<void> {
    // A call may end while the wallet is read.
    const before = [...user.open]
    const state = await this.#world.ports.wallets.read(user.tenant.userId)
    if (state.available < 0 || !isBalanced(state)) this.mistake(null, `the wallet is off: ${JSON.stringify(state)}`)
    const open = new Set([...before, ...user.open].map(({ callId }) => callId))
    const lost = new Set(user.ended.filter(({ expected }) => expected.fate === 'expired').map(({ callId }) => callId))
    for (const [callId, { expiresMs }] of Object.entries(state.holds)) {
      if (this.#isLate(expiresMs) || !(open.has(callId) || lost.has(callId)))
        this.mistake(null, `the hold of ${callId} outlived its call: ${this.#unheld.get(callId) ?? 'never finished'}`)
    }
  }

  /** Every entry of a user's ledger against the calls they made. */
  async close(user: User): Promise<void> {
    this.#result.users++
    const { ports } = this.#world
    const { userId } = user.tenant
    const lost = user.ended.filter(({ expected }) => expected.fate === 'expired')
    const billed = new Map<string, number>()
    let chargedMicros = 0
    for await (const { receipt, amountMicros } of ports.wallets.lines(userId, 0, 2 ** 47)) {
      if (!receipt) continue
      if (billed.has(receipt.callId)) this.mistake(null, `${receipt.callId} was charged twice`)
      billed.set(receipt.callId, -amountMicros)
      chargedMicros -= amountMicros
    }
    const unpaid = this.#unpaidBills()
    for (const ended of user.ended) {
      this.#compare(ended, billed.get(ended.callId) ?? 0, unpaid.get(ended.callId) ?? noBill)
      billed.delete(ended.callId)
    }
    for (const callId of billed.keys())
      this.mistake(null, `${callId} was charged and never made: ${this.#unheld.get(callId) ?? ''}`)
    const { state, differences } = await auditWallet(ports, userId)
    for (const difference of differences) this.mistake(null, `the books of ${userId} are off: ${difference}`)
    if (state.total !== user.creditedMicros - chargedMicros) this.mistake(null, `the total of ${userId} is off`)
    const holds = Object.entries(state.holds).filter(
      ([callId, { expiresMs }]) => this.#isLate(expiresMs) || !lost.some((ended) => ended.callId === callId),
    )
    if (holds.length > 0) this.mistake(null, `holds are left: ${holds.map(([callId]) => callId).join(', ')}`)
  }

  /** Whether a sweep should have removed a hold. */
  #isLate(expiresMs: number): boolean {
    return this.#clock.nowMs > expiresMs + sweepEveryMs + tickMs
  }

  /** The bills of failed calls by call in µUSD, as the alarm receives them. */
  #unpaidBills(): Map<string, FailedBill> {
    const failed = this.#world.raised.filter(({ name }) => name === 'FailedCallMicros')
    return new Map(
      failed.map(({ callId, value, reason }) => [String(callId), { micros: value, reason: String(reason) }]),
    )
  }

  #compare(
    { n, why, expected, heldMicros, durationMs, boughtClosed }: Ended,
    billedMicros: number,
    bill: FailedBill,
  ): void {
    const { fate, costMicros, unseenMicros } = expected
    const { micros: unpaidMicros, reason } = bill
    const isOurEnd = reason === 'time-up'
    // Nobody stops a model here.
    if (reason === 'stopped' || (isOurEnd && durationMs < callLimitMs))
      this.mistake({ n }, `${why}; ended as ${reason} after ${durationMs} ms`)
    // A call that our side ended before any output costs its user nothing, and its prompt is in the failed calls' bill.
    const leastReadMicros = Math.min(expected.leastReadMicros, heldMicros)
    const isUnbilled = isOurEnd && expected.mostReadMicros > 0 && unpaidMicros >= leastReadMicros
    const least = isUnbilled ? 0 : Math.min(expected.least, heldMicros)
    const most = Math.min(expected.most, heldMicros)
    if (billedMicros < least || billedMicros > most)
      this.mistake(
        { n },
        `${why}; ${fate}: billed ${billedMicros}, must be ${least === most ? least : `${least} to ${most}`} (held ${heldMicros})`,
      )
    const failedMicros = billedMicros === 0 ? expected.unpaidMicros : 0
    const leastUnpaid = fate === 'expired' ? 0 : failedMicros
    const mostUnpaid = billedMicros === 0 && isOurEnd ? Math.max(expected.mostReadMicros, failedMicros) : failedMicros
    if (unpaidMicros < leastUnpaid || unpaidMicros > mostUnpaid)
      this.mistake(
        { n },
        `${why}; ${fate}: ${unpaidMicros} in the bill of failed calls (${reason}), must be ${leastUnpaid} to ${mostUnpaid}`,
      )
    if (fate === 'reported') this.#result.aboveHold += Math.max(0, costMicros - heldMicros)
    if (boughtClosed) this.#result.closed.micros += billedMicros
    const sum = this.#result.fates[fate]
    const seenMicros = costMicros - unseenMicros
    sum.calls++
    sum.billedMicros += billedMicros
    sum.unpaidMicros += unpaidMicros
    sum.costMicros += costMicros
    sum.unseenMicros += unseenMicros
    if (seenMicros === 0) return
    sum.mostAbove = Math.max(sum.mostAbove, billedMicros / seenMicros - 1)
    sum.mostBelow = Math.max(sum.mostBelow, 1 - billedMicros / seenMicros)
  }
}
