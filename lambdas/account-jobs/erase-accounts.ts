import * as z from 'zod'
import { eraseDue } from '../../app/account/erase.ts'
import { job } from '../kit/job.ts'

export const eraseAccounts = job({
  id: 'eraseAccounts',
  on: { everyMinutes: 15 },
  input: z.unknown(),
  uses: {
    users: 'write',
    sessions: 'write',
    tokens: 'write',
    instances: 'write',
    gracePeriods: 'write',
    wallets: 'write',
    payments: 'write',
    bus: 'write',
    denials: 'read',
    events: 'write',
    erasure: 'write',
    audit: 'write',
    outbox: 'write',
  },
  run: ({ deps, now }) => eraseDue(deps, now),
})
