import fc from 'fast-check'
import { shareOf } from '../../../domain/billing/reversals.ts'
import { DomainError } from '../../../domain/errors.ts'
import { centsToMicros, microsToCents } from '../../../domain/money.ts'
import { dayMs, hourMs, minuteMs } from '../../../domain/time.ts'
import { newAutoTopup, startCharge } from '../../../domain/wallet/auto-topup.ts'
import {
  decideHold,
  decideLateSettle,
  decideSettle,
  holdTransitions,
  holdTtlMs,
  maxHolds,
  nextHoldState,
} from '../../../domain/wallet/holds.ts'
import { decideCredit, decideDebit } from '../../../domain/wallet/ledger.ts'
import { dayKey, dayOf, hourOf, maxUnpaidMicros, newCaps } from '../../../domain/wallet/limits.ts'
import { newWallet, type WalletState } from '../../../domain/wallet/state.ts'
import { cases, seeded } from '../../counts.ts'
import { interleave } from './model.ts'

const now = Date.parse('2026-11-20T12:00:00.000Z')
const rich: WalletState = { ...newWallet('usr_x'), available: 1_000, total: 1_000, generation: 3 }
const held = (micros: number) => ({ micros, expiresMs: 1, trigger: 'chat' as const })
const ask = (boundMicros: number, minimumMicros = boundMicros, generation = 3) => ({
  boundMicros,
  minimumMicros,
  generation,
})
const refusalOf = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
}
const codeOf = (state: WalletState, asked: ReturnType<typeof ask>) =>
  refusalOf(() => decideHold(state, asked, now))?.code

describe('a hold', () => {
  test('takes the maximum cost, or the whole balance when that covers the minimum cost', () => {
    expect(decideHold(rich, ask(400, 100), now)).toBe(400)
    expect(decideHold(rich, ask(4_000, 100), now)).toBe(1_000)
  })

  test('is refused for an older or stopped generation', () => {
    expect(codeOf(rich, ask(1, 1, 2))).toBe('unauthorized')
    expect(codeOf({ ...rich, generation: 0 }, ask(1, 1, 0))).toBe('unauthorized')
  })

  test('is refused as wallet-empty without money, and as rate-limited when only open holds block it', () => {
    const busy = { ...rich, available: 50, holds: { call_1: held(950) } }
    expect(codeOf(busy, ask(500, 100))).toBe('rate-limited')
    expect(codeOf({ ...rich, available: 50, total: 50 }, ask(500, 100))).toBe('wallet-empty')
    const poor = { ...rich, available: 50, total: 50 }
    expect(refusalOf(() => decideHold(poor, ask(500, 100), now))?.message).toMatch(
      /has \$0\.00005 left.*cost \$0\.0001\./,
    )
    const owing = { ...rich, available: 0, owed: 1, total: -1 }
    expect([codeOf(owing, ask(1)), codeOf(owing, ask(0))]).toEqual(['wallet-empty', 'wallet-empty'])
    expect(refusalOf(() => decideHold(owing, ask(1), now))?.message).toContain('owes')
    expect(codeOf({ ...newWallet('usr_y'), generation: 3 }, ask(0))).toBeUndefined()
  })

  test('is refused with its own reason while the wallet is suspended', () => {
    const refusal = refusalOf(() => decideHold({ ...rich, frozen: 'fraud warning' }, ask(1), now))
    expect([refusal?.code, refusal?.message]).toEqual(['wallet-suspended', expect.stringContaining('suspended')])
  })

  test('is rate-limited when the wallet has its maximum of open holds', () => {
    const holds = Object.fromEntries(Array.from({ length: maxHolds }, (_, i) => [`call_${i}`, held(1)]))
    expect(codeOf({ ...rich, holds }, ask(1))).toBe('rate-limited')
  })

  test('is rate-limited until the next hour once the bills of failed calls reach their limit', () => {
    const at = now + 20 * minuteMs
    const billed = (micros: number) => ({ ...rich, unpaid: { [hourOf(at)]: micros } })
    expect(decideHold(billed(maxUnpaidMicros - 1), ask(1), at)).toBe(1)
    const refusal = refusalOf(() => decideHold(billed(maxUnpaidMicros), ask(1), at))
    expect(refusal).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 40 * 60 })
    expect(decideHold(billed(maxUnpaidMicros), ask(1), now + hourMs)).toBe(1)
  })
})

describe('a cap', () => {
  const day = Math.floor(now / dayMs)
  const million = { ...rich, available: 100_000_000, total: 100_000_000 }

  test('limits a hold to the rest of the day’s amount and resets the next day', () => {
    const spent = { ...million, left: { [dayKey(day, 'day')]: 300 } }
    expect(decideHold(spent, ask(1_000, 200), now)).toBe(300)
    expect(decideHold(spent, ask(1_000, 200), now + dayMs)).toBe(1_000)
    expect(decideHold(million, ask(9_000_000, 1), now)).toBe(newCaps.day)
  })

  test('is named in its refusal, with the day’s or the trigger’s limit and the next step', () => {
    const spent = { ...million, left: { [dayKey(day, 'day')]: 300 } }
    const refusal = refusalOf(() => decideHold(spent, ask(1_000, 400), now))
    expect([refusal?.code, refusal?.message]).toEqual([
      'spending-limit',
      expect.stringMatching(/\$5\.00.*wallet page.*00:00 UTC/),
    ])
    const capped = { ...million, caps: { ...newCaps, heartbeat: 50_000 } }
    const heartbeat = { ...ask(100_000), trigger: 'heartbeat' as const }
    expect(refusalOf(() => decideHold(capped, heartbeat, now))?.message).toContain('$0.05 for heartbeats')
    expect(decideHold(capped, { ...heartbeat, trigger: 'schedule' }, now)).toBe(100_000)
  })

  test('asks the caller to wait when only open holds block the call', () => {
    const busy = { ...million, holds: { call_1: held(5_000_000) }, left: { [dayKey(day, 'day')]: 0 } }
    expect(codeOf(busy, ask(1_000))).toBe('rate-limited')
  })
})

describe('the life of a hold', () => {
  test('ends once, except for a call that ends after its hold expired', () => {
    expect(holdTransitions.open).toEqual({ settle: 'settled', void: 'voided', expire: 'expired' })
    expect(nextHoldState('expired', 'settle')).toBe('settled-late')
    const over = (['settled', 'voided', 'settled-late'] as const).flatMap((state) =>
      Object.values(holdTransitions[state]),
    )
    expect(over.every((next) => next === null)).toBe(true)
  })

  test('allows a late settlement to take the balance and no more', () => {
    expect(decideLateSettle(rich, 400)).toEqual({ costMicros: 400, available: 600, total: 600, owed: 0 })
    expect(decideLateSettle(rich, 4_000)).toEqual({ costMicros: 1_000, available: 0, total: 0, owed: 0 })
  })
})

describe('the books', () => {
  test('balance after every step of any interleaving, and the ledger alone rebuilds the wallet', () => {
    const count = cases(1_000_000)
    // This test throws millions of refusals and never reads their stacks.
    Error.stackTraceLimit = 0
    for (let seed = 1; seed <= count; seed++) {
      try {
        interleave(seed, 12)
      } catch (error) {
        throw new Error(`interleaving ${seed}: ${error instanceof Error ? error.message : error}`)
      }
    }
    expect(count).toBeGreaterThanOrEqual(10_000)
  }, 300_000)

  test('let a credit or a returned hold pay the debt first', () => {
    const owing: WalletState = { ...rich, available: 0, total: -300, owed: 300 }
    expect(decideCredit(owing, 500)).toEqual({ available: 200, total: 200, owed: 0 })
    expect(decideCredit(owing, 100)).toEqual({ available: 0, total: -200, owed: 200 })
    const open = { ...owing, total: 200, holds: { c: held(500) } }
    expect(decideSettle(open, 'c', 100)).toEqual({ costMicros: 100, available: 100, total: 100, owed: 0 })
  })

  test('take a cost above its hold from the available balance only', () => {
    const open = { ...rich, available: 300, total: 1_000, holds: { c: held(200), other: held(500) } }
    expect(decideSettle(open, 'c', 450)).toEqual({ costMicros: 450, available: 50, total: 550, owed: 0 })
    expect(decideSettle(open, 'c', 5_000)).toEqual({ costMicros: 500, available: 0, total: 500, owed: 0 })
    const capped = { ...open, left: { [dayKey(dayOf(held(200).expiresMs - holdTtlMs), 'day')]: 40 } }
    expect(decideSettle(capped, 'c', 450)).toEqual({ costMicros: 240, available: 260, total: 760, owed: 0 })
    const owing: WalletState = { ...open, available: 0, total: 600, owed: 100 }
    expect(decideSettle(owing, 'c', 5_000)).toEqual({ costMicros: 200, available: 0, total: 400, owed: 100 })
  })

  test('let a debit take the balance and owe the rest', () => {
    expect(decideDebit(rich, 400)).toEqual({ available: 600, total: 600, owed: 0 })
    expect(decideDebit(rich, 1_400)).toEqual({ available: 0, total: -400, owed: 400 })
  })

  test('never contain a fraction of a micro-dollar', () => {
    const open = { ...rich, holds: { c: held(5) } }
    const record = newAutoTopup({ enabled: true, thresholdCents: 500, amountCents: 500, monthlyCapCents: 500 })
    const fraction = fc.double({ min: -1e9, max: 1e9, noNaN: true }).filter((value) => !Number.isInteger(value))
    const odd = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, 2 ** 60, -1)
    fc.assert(
      fc.property(fc.oneof(fraction, odd), (amount) => {
        expect(() => decideHold(rich, ask(amount, 1), now)).toThrow(RangeError)
        expect(() => decideHold(rich, ask(5, amount), now)).toThrow(RangeError)
        expect(() => decideCredit(rich, amount)).toThrow(RangeError)
        expect(() => decideDebit(rich, amount)).toThrow(RangeError)
        expect(() => decideSettle(open, 'c', amount)).toThrow(RangeError)
        expect(() => decideLateSettle(rich, amount)).toThrow(RangeError)
        expect(() => startCharge(record, 'chk_1', amount, now)).toThrow(RangeError)
        expect(() => microsToCents(amount)).toThrow(RangeError)
        expect(() => shareOf(amount, 1, 2)).toThrow(RangeError)
        expect(() => shareOf(5, amount, 2)).toThrow(RangeError)
        expect(() => shareOf(5, 1, amount)).toThrow(RangeError)
        if (amount !== -1) expect(() => centsToMicros(amount)).toThrow(RangeError)
      }),
      seeded(10_000),
    )
  })
})
