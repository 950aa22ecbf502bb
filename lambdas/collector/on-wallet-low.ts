import * as z from 'zod'
import { autoTopUp } from '../../domain/billing/auto-top-up.ts'
import { reaction } from '../kit/operation.ts'

export const onWalletLow = reaction({
  id: 'onWalletLow',
  on: { bus: 'berth', source: 'berth', detailType: 'wallet.low' },
  input: z.object({ userId: z.string() }),
  uses: ['users', 'payments', 'checkouts', 'wallets', 'events', 'mail'],
  run: ({ input, deps, now }) => autoTopUp(deps, input.userId, now),
})
