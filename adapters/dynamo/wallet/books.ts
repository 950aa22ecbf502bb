import { ScanCommand } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { unsignedMicros, wholeAmount } from '../../../domain/money.ts'
import type { Balances } from '../../../domain/wallet/ledger.ts'
import type { WalletState } from '../../../domain/wallet/state.ts'
import type { Env } from '../../env.ts'
import { call, query } from '../calls.ts'
import { type Item, parse, toItem } from '../item.ts'
import { onceItem, walletItem, walletKey } from './item.ts'
import { changed } from './writes.ts'

/** A payment as `refund` names it: a checkout's id, or the key of what was credited once. Amounts in µUSD. */
export interface Payment {
  name: string
  amountMicros: number
  takenBackMicros: number
}

const credited = z.object({
  item: z.string(),
  amountMicros: unsignedMicros,
  debited: unsignedMicros.default(0),
  state: z.string().default('credited'),
  type: z.string().optional(),
})

/** What an operator's command may do besides the service's own moves. No function of the service imports this. */
export interface Books {
  /** Everybody who has a wallet; the one place that reads a whole table, by hand and never by a request. */
  owners(): AsyncIterable<string>
  /** What credited a wallet, and so can be taken back, newest last. */
  payments(userId: string): AsyncIterable<Payment>
  /** Writes a wallet's three numbers anew; false when it moved since it was seen. */
  rewrite(seen: WalletState, expected: Balances): Promise<boolean>
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

  async *payments(userId) {
    for (const prefix of [onceItem(''), 'chk_']) {
      const asked = {
        TableName: env.table('wallets'),
        KeyConditionExpression: 'userId = :user AND begins_with(#item, :prefix)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: toItem({ ':user': userId, ':prefix': prefix }),
      }
      for await (const found of query(asked)) {
        const { item, amountMicros, debited, state, type } = parse(credited, found)
        // A debit is remembered with its type, and its undoing under a name of its own.
        const taken = prefix !== 'chk_' && (type !== undefined || item.endsWith('#undone'))
        if (taken || amountMicros === 0 || state !== 'credited') continue
        yield { name: item.replace(onceItem(''), ''), amountMicros, takenBackMicros: debited }
      }
    }
  },

  async rewrite(seen, expected) {
    for (const amount of [expected.available, expected.owed]) wholeAmount(amount)
    return changed({
      table: env.table('wallets'),
      key: walletKey(seen.userId),
      update: 'SET #available = :available, #total = :total, #owed = :owed',
      condition: '#available = :seenAvailable AND #total = :seenTotal AND #owed = :seenOwed AND size(#holds) = :holds',
      values: {
        ':available': expected.available,
        ':total': expected.total,
        ':owed': expected.owed,
        ':seenAvailable': seen.available,
        ':seenTotal': seen.total,
        ':seenOwed': seen.owed,
        ':holds': Object.keys(seen.holds).length,
      },
    })
  },
})
