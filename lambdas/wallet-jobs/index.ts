import { area } from '../kit/area.ts'
import { checkWallets } from './check-wallets.ts'
import { sweepWallets } from './sweep-wallets.ts'

/** Looks after money when nobody asks: holds nobody settled, days that ended, wallets that run low, books that do not balance. */
export const walletJobsArea = area({ name: 'wallet-jobs', jobs: [sweepWallets, checkWallets], timeoutSeconds: 120 })
