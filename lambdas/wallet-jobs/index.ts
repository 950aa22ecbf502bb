import { area } from '../kit/area.ts'
import { checkWallets } from './check-wallets.ts'
import { sweepWallets } from './sweep-wallets.ts'

export const walletJobsArea = area({ name: 'wallet-jobs', jobs: [sweepWallets, checkWallets], timeoutSeconds: 120 })
