import { area } from '../kit/area.ts'
import { onWalletLow } from './on-wallet-low.ts'
import { sweepEndedSubscriptions } from './sweep-ended-subscriptions.ts'

/** Work without a request: automatic top-ups, and the files of ended subscriptions. */
export const billingJobsArea = area({
  name: 'billing-jobs',
  jobs: [onWalletLow, sweepEndedSubscriptions],
  timeoutSeconds: 120,
})
