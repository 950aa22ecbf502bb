import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { eraseAccounts } from './erase-accounts.ts'

/** Erases deleted accounts when their time has come. */
export const erasureArea = area({ name: 'erasure', access, reactions: [eraseAccounts], timeoutSeconds: 300 })
