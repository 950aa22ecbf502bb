import * as z from 'zod'
import { sweepGracePeriods } from '../../app/billing/grace-periods.ts'
import { job } from '../kit/job.ts'

export const sweepEndedSubscriptions = job({
  id: 'sweepEndedSubscriptions',
  on: { everyMinutes: 15 },
  input: z.unknown(),
  uses: {
    gracePeriods: 'write',
    users: 'write',
    instances: 'write',
    bus: 'write',
    events: 'write',
    mail: 'write',
    outbox: 'write',
  },
  run: ({ deps, now }) => sweepGracePeriods(deps, now),
})
