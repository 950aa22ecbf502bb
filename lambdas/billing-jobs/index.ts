import { area } from '../kit/area.ts'
import { onWalletLow } from './on-wallet-low.ts'
import { sweepEndedSubscriptions } from './sweep-ended-subscriptions.ts'

/** What is due when nobody asks: automatic top-ups, and the files of subscriptions that ended. */
export const billingJobsArea = area({
  name: 'billing-jobs',
  jobs: [onWalletLow, sweepEndedSubscriptions],
  timeoutSeconds: 120,
})
