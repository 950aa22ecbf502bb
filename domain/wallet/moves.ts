import { DomainError, rateLimited, unauthorized, walletEmpty } from '../errors.ts'
import { wholeMicros } from '../money.ts'
import { minuteMs } from '../time.ts'
import { heldOf, type WalletState } from './wallet.ts'

/** Open holds a wallet may have at once: its item stays small and one write can check it. */
export const maxHolds = 10

/** A hold nobody settled may be swept this long after the call's own limit of twelve minutes. */
export const holdTtlMs = 22 * minuteMs

/** What one move does to the wallet's three numbers; adapters write it under the condition it was decided on. */
export interface Move {
  available: number
  total: number
  owed: number
}

export interface HoldAsk {
  /** µUSD the call can cost at most. */
  boundMicros: number
  /** µUSD of the least the call can cost: its input and the format's smallest output. */
  minimumMicros: number
  generation: number
}

/**
 * Decides the size of a hold: the bound, or all there is when the minimum fits in it.
 * @throws unauthorized (another generation), wallet-empty, rate-limited (only open holds are in the way)
 */
export function decideHold(state: WalletState, ask: HoldAsk): number {
  if (state.generation === 0 || state.generation !== ask.generation)
    throw unauthorized('This machine token is no longer valid.')
  if (Object.keys(state.holds).length >= maxHolds) throw rateLimited(5)
  if (state.owed > 0) throw walletEmpty()
  if (state.available >= ask.boundMicros) return ask.boundMicros
  if (state.available > 0 && state.available >= ask.minimumMicros) return state.available
  if (state.available + heldOf(state) >= Math.max(1, ask.minimumMicros)) throw rateLimited(5)
  throw walletEmpty()
}

/** Settling gives back what the hold kept above the cost. The cost never exceeds the hold. */
export function decideSettle(state: WalletState, callId: string, costMicros: number): Move & { costMicros: number } {
  const hold = state.holds[callId]
  if (!hold) throw new DomainError('conflict', 'This call is settled already.')
  const cost = Math.min(wholeMicros(costMicros), hold.micros)
  if (cost < 0) throw new RangeError('a cost cannot be negative')
  const back = hold.micros - cost
  return { costMicros: cost, available: state.available + back, total: state.total - cost, owed: state.owed }
}

/** A credit pays what is owed first. */
export function decideCredit(state: WalletState, amountMicros: number): Move {
  if (wholeMicros(amountMicros) <= 0) throw new RangeError('a credit is above zero')
  const paid = Math.min(state.owed, amountMicros)
  return {
    available: state.available + amountMicros - paid,
    total: state.total + amountMicros,
    owed: state.owed - paid,
  }
}

/** Takes money back: from what is available, and what that cannot cover becomes owed. */
export function decideDebit(state: WalletState, amountMicros: number): Move {
  if (wholeMicros(amountMicros) <= 0) throw new RangeError('a debit is above zero')
  const taken = Math.min(state.available, amountMicros)
  return {
    available: state.available - taken,
    total: state.total - amountMicros,
    owed: state.owed + amountMicros - taken,
  }
}
