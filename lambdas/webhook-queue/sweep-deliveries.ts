import * as z from 'zod'
import { sweepDeliveries as sweep } from '../../app/webhooks/queue.ts'
import { job } from '../kit/job.ts'

export const sweepDeliveries = job({
  id: 'sweepDeliveries',
  on: { everyMinutes: 1 },
  input: z.unknown(),
  uses: { webhooks: 'read', bus: 'write' },
  run: ({ deps, now }) => sweep(deps, now),
})
