import fc from 'fast-check'
import { DomainError } from '../../../domain/errors.ts'
import { decideCredit, decideHold, decideSettle, maxHolds } from '../../../domain/wallet/moves.ts'
import { balances, newWallet, type WalletState } from '../../../domain/wallet/wallet.ts'
import { seeded } from '../../counts.ts'

const rich: WalletState = { ...newWallet('usr_x'), available: 1_000, total: 1_000, generation: 3 }
const codeOf = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    return error instanceof DomainError ? error.code : 'other'
  }
}

describe('a hold', () => {
  test('takes the bound, or all there is when the least the call costs fits', () => {
    expect(decideHold(rich, { boundMicros: 400, minimumMicros: 100, generation: 3 })).toBe(400)
    expect(decideHold(rich, { boundMicros: 4_000, minimumMicros: 100, generation: 3 })).toBe(1_000)
  })

  test('is refused for an older or stopped generation', () => {
    expect(codeOf(() => decideHold(rich, { boundMicros: 1, minimumMicros: 1, generation: 2 }))).toBe('unauthorized')
    expect(
      codeOf(() => decideHold({ ...rich, generation: 0 }, { boundMicros: 1, minimumMicros: 1, generation: 0 })),
    ).toBe('unauthorized')
  })

  test('is wallet-empty when the money is not there, rate-limited when only open holds are in the way', () => {
    const held = { ...rich, available: 50, holds: { call_1: { micros: 950, expiresMs: 1 } } }
    expect(codeOf(() => decideHold(held, { boundMicros: 500, minimumMicros: 100, generation: 3 }))).toBe('rate-limited')
    expect(
      codeOf(() =>
        decideHold({ ...rich, available: 50, total: 50 }, { boundMicros: 500, minimumMicros: 100, generation: 3 }),
      ),
    ).toBe('wallet-empty')
    expect(
      codeOf(() => decideHold({ ...rich, owed: 1, total: 999 }, { boundMicros: 1, minimumMicros: 1, generation: 3 })),
    ).toBe('wallet-empty')
    expect(codeOf(() => decideHold(newWallet('usr_y'), { boundMicros: 0, minimumMicros: 0, generation: 3 }))).toBe(
      'unauthorized',
    )
  })

  test('is rate-limited when as many are open as a wallet may have', () => {
    const holds = Object.fromEntries(
      Array.from({ length: maxHolds }, (_, i) => [`call_${i}`, { micros: 1, expiresMs: 1 }]),
    )
    expect(codeOf(() => decideHold({ ...rich, holds }, { boundMicros: 1, minimumMicros: 1, generation: 3 }))).toBe(
      'rate-limited',
    )
  })
})

type Step =
  | { kind: 'hold'; bound: number; minimum: number }
  | { kind: 'settle'; pick: number; cost: number }
  | { kind: 'credit'; amount: number }

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('hold' as const),
      bound: fc.integer({ min: 1, max: 5_000 }),
      minimum: fc.integer({ min: 0, max: 500 }),
    }),
    fc.record({ kind: fc.constant('settle' as const), pick: fc.nat(20), cost: fc.integer({ min: 0, max: 8_000 }) }),
    fc.record({ kind: fc.constant('credit' as const), amount: fc.integer({ min: 1, max: 10_000 }) }),
  ),
  { maxLength: 60 },
)

function apply(state: WalletState, step: Step, callId: string): WalletState {
  if (step.kind === 'credit') return { ...state, ...decideCredit(state, step.amount) }
  if (step.kind === 'hold') {
    const micros = decideHold(state, {
      boundMicros: step.bound,
      minimumMicros: Math.min(step.minimum, step.bound),
      generation: 3,
    })
    return {
      ...state,
      available: state.available - micros,
      holds: { ...state.holds, [callId]: { micros, expiresMs: 1 } },
    }
  }
  const open = Object.keys(state.holds)
  const settled = open[step.pick % Math.max(1, open.length)] ?? 'none'
  const { costMicros: _, ...move } = decideSettle(state, settled, step.cost)
  const { [settled]: __, ...holds } = state.holds
  return { ...state, ...move, holds }
}

describe('the books', () => {
  test('balance after every step of any interleaving, and the balance is never below zero', () => {
    fc.assert(
      fc.property(steps, fc.nat(5_000), (all, owed) => {
        let state: WalletState = { ...newWallet('usr_x'), owed, total: -owed, generation: 3 }
        all.forEach((step, i) => {
          try {
            state = apply(state, step, `call_${i}`)
          } catch (error) {
            if (!(error instanceof DomainError)) throw error
          }
          expect(balances(state)).toBe(true)
        })
      }),
      seeded(100_000),
    )
  })

  test('a credit pays what is owed first', () => {
    const owing: WalletState = { ...rich, available: 0, total: -300, owed: 300 }
    expect(decideCredit(owing, 500)).toEqual({ available: 200, total: 200, owed: 0 })
    expect(decideCredit(owing, 100)).toEqual({ available: 0, total: -200, owed: 200 })
  })

  test('a fraction of a micro-dollar never gets in', () => {
    expect(() => decideCredit(rich, 0.5)).toThrow(RangeError)
    expect(() => decideSettle({ ...rich, holds: { c: { micros: 5, expiresMs: 1 } } }, 'c', 1.5)).toThrow(RangeError)
  })
})
