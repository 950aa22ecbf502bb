import * as z from 'zod'
import { sweepWallets as sweep } from '../../app/wallet/sweep.ts'
import { job } from '../kit/job.ts'

export const sweepWallets = job({
  id: 'sweepWallets',
  on: { everyMinutes: 1 },
  input: z.unknown(),
  uses: {
    wallets: 'write',
    users: 'read',
    events: 'write',
    mail: 'write',
    bus: 'write',
    outbox: 'write',
    trials: 'write',
  },
  run: ({ deps, now }) => sweep(deps, now),
})
