import type { Wallets } from '../../domain/wallet/ports.ts'
import { newWallet } from '../../domain/wallet/wallet.ts'
import type { Env } from '../env.ts'
import { creditCheckout, creditOnce } from './wallet-credits.ts'
import { debitOnce, undoDebit } from './wallet-debits.ts'
import { hold, settle } from './wallet-holds.ts'
import { openWallet, readWallet } from './wallet-item.ts'
import { overdueHolds, transaction, transactions } from './wallet-reads.ts'

export function wallets(env: Env): Wallets {
  const table = () => env.table('wallets')
  return {
    open: (userId) => openWallet(table(), userId),
    read: async (userId) => (await readWallet(table(), userId)) ?? newWallet(userId),
    hold: (userId, callId, ask, nowMs) => hold(table(), userId, callId, ask, nowMs),
    settle: (userId, callId, costMicros, line, knownTotal) =>
      settle(table(), userId, callId, costMicros, line, knownTotal),
    creditCheckout: (record, description, at) => creditCheckout(table(), record, description, at),
    creditOnce: (userId, key, amountMicros, type, description, at) =>
      creditOnce(table(), key, { userId, amountMicros, type, description, at }),
    debitOnce: (userId, one) => debitOnce(table(), userId, one),
    undoDebit: (userId, key, description, at) => undoDebit(table(), userId, key, description, at),
    transactions: (userId, page) => transactions(table(), userId, page),
    transaction: (userId, id) => transaction(table(), userId, id),
    overdueHolds: (shard, nowMs) => overdueHolds(table(), shard, nowMs),
  }
}
