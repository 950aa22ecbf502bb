import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { createWalletTopup } from './create-wallet-topup.ts'
import { getTransaction } from './get-transaction.ts'
import { getWallet } from './get-wallet.ts'
import { listTransactions } from './list-transactions.ts'

export const walletArea = area({
  name: 'wallet',
  access,
  operations: [getWallet, listTransactions, getTransaction, createWalletTopup],
})
