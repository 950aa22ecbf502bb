import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { onWalletLow } from './on-wallet-low.ts'
import { sweepEndedSubscriptions } from './sweep-ended-subscriptions.ts'

/** What is due when nobody asks: automatic top-ups, and the files of subscriptions that ended. */
export const collectorArea = area({
  name: 'collector',
  access,
  reactions: [onWalletLow, sweepEndedSubscriptions],
  timeoutSeconds: 120,
})
