import { area } from '../kit/area.ts'
import { eraseAccounts } from './erase-accounts.ts'
import { onMailBounced } from './on-mail-bounced.ts'
import { onMailComplained } from './on-mail-complained.ts'

export const accountJobsArea = area({
  name: 'account-jobs',
  jobs: [eraseAccounts, onMailBounced, onMailComplained],
  timeoutSeconds: 300,
})
