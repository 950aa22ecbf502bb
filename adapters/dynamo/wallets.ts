import type { Wallets } from '../../domain/wallet/ports.ts'
import { newWallet } from '../../domain/wallet/wallet.ts'
import type { Env } from '../env.ts'
import { creditCheckout, creditOnce } from './wallet-credits.ts'
import { debitOnce, undoDebit } from './wallet-debits.ts'
import { hold } from './wallet-holds.ts'
import { openWallet, readWallet } from './wallet-item.ts'
import { due, lookAgain, noteLook } from './wallet-looks.ts'
import { keepUsageDay, lines, transaction, transactions, usageDays } from './wallet-reads.ts'
import { freeze, readAutoTopUp, saveAutoTopUp, setCaps, unfreeze } from './wallet-settings.ts'
import { expire, settle, voidHold } from './wallet-settlements.ts'

export function wallets(env: Env): Wallets {
  const table = () => env.table('wallets')
  return {
    open: (userId) => openWallet(table(), userId),
    read: async (userId) => (await readWallet(table(), userId)) ?? newWallet(userId),
    hold: (userId, callId, ask, nowMs) => hold(table(), userId, callId, ask, nowMs),
    settle: (userId, callId, costMicros, line, knownTotal) =>
      settle(table(), userId, callId, costMicros, line, knownTotal),
    void: async (userId, callId) => {
      await voidHold(table(), userId, callId)
    },
    expire: (userId, callId, hold, at) => expire(table(), userId, callId, hold, at),
    creditCheckout: (record, description, at) => creditCheckout(table(), record, description, at),
    creditOnce: (userId, key, amountMicros, type, description, at) =>
      creditOnce(table(), key, { userId, amountMicros, type, description, at }),
    debitOnce: (userId, one) => debitOnce(table(), userId, one),
    undoDebit: (userId, key, description, at) => undoDebit(table(), userId, key, description, at),
    transactions: (userId, page) => transactions(table(), userId, page),
    transaction: (userId, id) => transaction(table(), userId, id),
    lines: (userId, fromMs, toMs) => lines(table(), userId, fromMs, toMs),
    freeze: (userId, reason, nowMs) => freeze(table(), userId, reason, nowMs),
    unfreeze: (userId, nowMs) => unfreeze(table(), userId, nowMs),
    setCaps: (userId, caps, nowMs) => setCaps(table(), userId, caps, nowMs),
    autoTopUp: (userId) => readAutoTopUp(table(), userId),
    saveAutoTopUp: (userId, record) => saveAutoTopUp(table(), userId, record),
    due: (shard, nowMs) => due(table(), shard, nowMs),
    noteLook: (userId, found) => noteLook(table(), userId, found),
    lookAgain: (look, nextMs) => lookAgain(table(), look, nextMs),
    usageDays: (userId, from, to) => usageDays(table(), userId, from, to),
    keepUsageDay: (userId, day) => keepUsageDay(table(), userId, day),
  }
}
