import * as z from 'zod'
import { sweepWallets as sweep } from '../../domain/wallet/sweep.ts'
import { reaction } from '../kit/operation.ts'

export const sweepWallets = reaction({
  id: 'sweepWallets',
  on: { everyMinutes: 1 },
  input: z.unknown(),
  uses: ['wallets', 'users', 'events', 'mail', 'bus'],
  run: ({ deps, now }) => sweep(deps, now),
})
