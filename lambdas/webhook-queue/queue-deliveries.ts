import * as z from 'zod'
import { queueEvent } from '../../app/webhooks/queue.ts'
import { event } from '../../domain/chat/event.ts'
import { job } from '../kit/job.ts'

export const queueDeliveries = job({
  id: 'queueDeliveries',
  on: { table: 'events', key: 'id', prefixes: ['evt_'], changes: ['INSERT'], lasting: true },
  input: z.object({ after: event.extend({ userId: z.string() }) }),
  uses: { webhooks: 'write', users: 'read', instances: 'read', bus: 'write' },
  run: ({ input, deps, now }) => {
    const { userId, ...recorded } = input.after
    return queueEvent(deps, userId, recorded, now)
  },
})
