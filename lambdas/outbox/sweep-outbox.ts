import * as z from 'zod'
import { sweepOutbox as sweep } from '../../app/follow-ups/sweep.ts'
import { job } from '../kit/job.ts'

export const sweepOutbox = job({
  id: 'sweepOutbox',
  on: { everyMinutes: 1 },
  input: z.unknown(),
  uses: {
    outbox: 'write',
    attachmentErasure: 'write',
    conversationErasure: 'write',
    conversations: 'write',
    tasks: 'write',
    mail: 'write',
    schedules: 'read',
    timers: 'write',
    tokens: 'write',
    hooks: 'read',
    webhooks: 'read',
    events: 'write',
    restorePoints: 'read',
    storage: 'write',
    instances: 'write',
    gracePeriods: 'write',
    leases: 'write',
    bus: 'write',
    users: 'read',
    wallets: 'write',
    payments: 'write',
  },
  run: ({ deps, now }) => sweep(deps, now),
})
