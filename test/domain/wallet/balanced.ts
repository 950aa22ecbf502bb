import { heldOf, type WalletState } from '../../../domain/wallet/state.ts'

/** The invariant of the books. */
export const isBalanced = (state: WalletState): boolean =>
  [state.available, state.owed, state.total, heldOf(state)].every(Number.isSafeInteger) &&
  state.available >= 0 &&
  state.owed >= 0 &&
  (state.owed === 0 || state.available === 0) &&
  state.total === state.available + heldOf(state) - state.owed
