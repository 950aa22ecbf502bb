import { heldOf } from './hold.ts'
import type { Move } from './moves.ts'
import type { WalletState } from './wallet.ts'

/** What the ledger and the open holds say a wallet must hold: the three numbers follow from them alone. */
export function rebuilt(ledgerMicros: number, state: Pick<WalletState, 'holds'>): Move {
  const free = ledgerMicros - heldOf(state)
  return { available: Math.max(0, free), total: ledgerMicros, owed: Math.max(0, -free) }
}

/** The differences between a wallet and its ledger, in words; empty when the books balance. */
export function differences(state: WalletState, ledgerMicros: number): string[] {
  const must = rebuilt(ledgerMicros, state)
  const names = ['available', 'total', 'owed'] as const
  return names
    .filter((name) => state[name] !== must[name])
    .map((name) => `${name} is ${state[name]}, must be ${must[name]}`)
}
