import { area } from '../kit/area.ts'
import { eraseAccounts } from './erase-accounts.ts'

/** Erases deleted accounts when their time has come. */
export const accountJobsArea = area({ name: 'account-jobs', jobs: [eraseAccounts], timeoutSeconds: 300 })
