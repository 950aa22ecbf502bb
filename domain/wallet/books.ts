import type { Ports } from '../ports.ts'
import type { Move } from './moves.ts'
import { differences, rebuilt } from './rebuild.ts'
import type { WalletState } from './wallet.ts'

/** A wallet beside what its ledger says it must be. */
export interface Audit {
  state: WalletState
  lines: number
  must: Move
  differences: string[]
}

/** How often a wallet is read anew that moves while its ledger is added up. */
const looks = 10

/**
 * Adds a wallet's ledger up from its first line. A wallet in use is looked at again until nothing moved meanwhile.
 * @throws when it never stands still
 */
export async function auditWallet({ wallets }: Pick<Ports, 'wallets'>, userId: string): Promise<Audit> {
  for (let look = 1; look <= looks; look++) {
    const before = await wallets.read(userId)
    let sum = 0
    let lines = 0
    for await (const { amountMicros } of wallets.lines(userId, 0, 2 ** 47)) {
      sum += amountMicros
      lines++
    }
    const state = await wallets.read(userId)
    if (state.total !== before.total) continue
    return { state, lines, must: rebuilt(sum, state), differences: differences(state, sum) }
  }
  throw new Error(`the wallet of ${userId} moves all the time; try again later`)
}
