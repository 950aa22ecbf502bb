import { area } from '../kit/area.ts'
import { onWalletLow } from './on-wallet-low.ts'
import { sweepEndedSubscriptions } from './sweep-ended-subscriptions.ts'

export const billingJobsArea = area({
  name: 'billing-jobs',
  jobs: [onWalletLow, sweepEndedSubscriptions],
  timeoutSeconds: 120,
})
