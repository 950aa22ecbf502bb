import { type Balances, differences, expectedBalances, type Transaction } from '../../domain/wallet/ledger.ts'
import type { WalletState } from '../../domain/wallet/state.ts'
import type { Wallets } from '../ports/wallet.ts'
import { lost, retry } from '../retry.ts'

interface Audit {
  state: WalletState
  lines: number
  expected: Balances
  differences: string[]
}

/** Attempts to read a wallet that changes while its ledger is summed. */
const tries = 10

/**
 * Sums the ledger again if the wallet changes meanwhile.
 * @param begin makes the reader of the lines, for each try anew
 * @throws when the wallet changes each time, or beyond `mostLines`
 */
export async function auditWallet(
  { wallets }: { wallets: Wallets },
  userId: string,
  mostLines = Number.POSITIVE_INFINITY,
  begin: () => (line: Transaction) => void = () => () => {},
): Promise<Audit> {
  const audit = await retry(
    async () => {
      const before = await wallets.read(userId)
      let sum = 0
      let lines = 0
      const read = begin()
      for await (const line of wallets.lines(userId, 0, 2 ** 47)) {
        sum += line.amountMicros
        read(line)
        lines++
        if (lines > mostLines) throw new Error(`the ledger of ${userId} has more than ${mostLines} lines`)
      }
      const state = await wallets.read(userId)
      if (state.total !== before.total) return lost
      return { state, lines, expected: expectedBalances(sum, state), differences: differences(state, sum) }
    },
    { tries },
  )
  if (audit === lost) throw new Error(`the wallet of ${userId} moves all the time; try again later`)
  return audit
}
