import { area } from '../kit/area.ts'
import { sweepWallets } from './sweep-wallets.ts'

/** Looks after money when nobody asks: holds nobody settled, days that ended, wallets that run low. */
export const walletJobsArea = area({ name: 'wallet-jobs', jobs: [sweepWallets], timeoutSeconds: 120 })
