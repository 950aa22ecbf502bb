import * as z from 'zod'
import { runAutoTopup } from '../../app/billing/auto-topup.ts'
import { job } from '../kit/job.ts'

export const onWalletLow = job({
  id: 'onWalletLow',
  on: { bus: 'berth', source: 'berth', detailType: 'wallet.low' },
  input: z.object({ userId: z.string() }),
  uses: {
    users: 'write',
    payments: 'write',
    checkouts: 'write',
    wallets: 'write',
    events: 'write',
    mail: 'write',
    outbox: 'write',
  },
  run: ({ input, deps, now }) => runAutoTopup(deps, input.userId, now),
})
