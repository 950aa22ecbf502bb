import { area } from '../kit/area.ts'
import { createWalletTopup } from './create-wallet-topup.ts'
import { getTransaction } from './get-transaction.ts'
import { getWallet } from './get-wallet.ts'
import { getWalletForecast } from './get-wallet-forecast.ts'
import { getWalletStatement } from './get-wallet-statement.ts'
import { getWalletUsage } from './get-wallet-usage.ts'
import { listTransactions } from './list-transactions.ts'
import { setAutoTopup } from './set-auto-topup.ts'
import { setWalletLimits } from './set-wallet-limits.ts'

export const walletArea = area({
  name: 'wallet',
  about: 'The prepaid wallet that pays for model calls: its balance, its ledger, spending, limits and top-ups.',
  operations: [
    getWallet,
    listTransactions,
    getTransaction,
    getWalletUsage,
    getWalletForecast,
    getWalletStatement,
    createWalletTopup,
    setWalletLimits,
    setAutoTopup,
  ],
})
