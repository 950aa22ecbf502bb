import type { Trigger } from '../chat/message.ts'
import { wholeAmount } from '../money.ts'

export interface Hold {
  /** µUSD set aside. */
  micros: number
  /** Milliseconds since 1970 after which the sweep lets it expire. */
  expiresMs: number
  /** What started the call: its cap gets back what the call did not cost. */
  trigger: Trigger
}

export const heldOf = ({ holds }: { holds: Record<string, Hold> }): number =>
  Object.values(holds).reduce((sum, { micros }) => sum + micros, 0)

/** Where a call's money is. Only open holds and expired ones are remembered; the ledger tells the rest. */
export type HoldState = 'open' | 'settled' | 'voided' | 'expired' | 'settled-late'
export type HoldVerb = 'settle' | 'void' | 'expire'

/**
 * What each verb makes of a hold; null: it changes nothing. An expired hold was given back whole, but a call that
 * ends after all still costs: its late settlement takes what it can from the balance.
 */
export const holdTable = {
  open: { settle: 'settled', void: 'voided', expire: 'expired' },
  expired: { settle: 'settled-late', void: null, expire: null },
  settled: { settle: null, void: null, expire: null },
  voided: { settle: null, void: null, expire: null },
  'settled-late': { settle: null, void: null, expire: null },
} as const satisfies Record<HoldState, Record<HoldVerb, HoldState | null>>

export const afterVerb = (state: HoldState, verb: HoldVerb): HoldState | null => holdTable[state][verb]

/** What a settlement takes: from an open hold up to all of it, after expiry up to what the balance still has. */
export function settledMicros(costMicros: number, within: number): number {
  return Math.min(wholeAmount(costMicros), within)
}
