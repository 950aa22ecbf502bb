import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { sweepWallets } from './sweep-wallets.ts'

/** Looks after money when nobody asks: holds nobody settled, days that ended, wallets that run low. */
export const ledgerArea = area({ name: 'ledger', access, reactions: [sweepWallets], timeoutSeconds: 120 })
