import { ScanCommand } from '@aws-sdk/client-dynamodb'
import type { Part } from '../../../app/ports/part.ts'
import { wholeAmount } from '../../../domain/money.ts'
import type { Balances } from '../../../domain/wallet/ledger.ts'
import type { WalletState } from '../../../domain/wallet/state.ts'
import type { Env } from '../../env.ts'
import { call } from '../calls.ts'
import { type Item, toItem } from '../item.ts'
import { walletAt, walletItem } from './item.ts'
import { changed } from './writes.ts'

/** For an operator's command. No function of the service imports this. */
interface Books {
  /** Reads a whole table: only for manual use, never in a request. */
  owners(): AsyncIterable<string>
  /** False if the wallet changed since it was read. */
  rewrite(seen: WalletState, expected: Balances, ...also: Part[]): Promise<boolean>
}

export const books = (env: Env): Books => ({
  async *owners() {
    let from: Item | undefined
    do {
      const input = {
        TableName: env.table('wallets'),
        FilterExpression: '#item = :wallet',
        ProjectionExpression: 'userId',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: toItem({ ':wallet': walletItem }),
        ExclusiveStartKey: from,
      }
      const page = await call((db) => db.send(new ScanCommand(input)))
      for (const { userId } of page.Items ?? []) if (userId?.S) yield userId.S
      from = page.LastEvaluatedKey
    } while (from)
  },

  async rewrite(seen, expected, ...also) {
    for (const amount of [expected.available, expected.owed]) wholeAmount(amount)
    return changed(
      {
        ...walletAt(env.table('wallets'), seen.userId),
        update: 'SET #available = :available, #total = :total, #owed = :owed',
        condition:
          '#available = :seenAvailable AND #total = :seenTotal AND #owed = :seenOwed AND size(#holds) = :holds',
        values: {
          ':available': expected.available,
          ':total': expected.total,
          ':owed': expected.owed,
          ':seenAvailable': seen.available,
          ':seenTotal': seen.total,
          ':seenOwed': seen.owed,
          ':holds': Object.keys(seen.holds).length,
        },
      },
      ...also,
    )
  },
})
