import * as z from 'zod'
import { notify } from '../../app/notifications/notify.ts'
import { event } from '../../domain/chat/event.ts'
import { job } from '../kit/job.ts'

export const notifyUser = job({
  id: 'notifyUser',
  on: { table: 'events', key: 'id', prefixes: ['evt_'], changes: ['INSERT'], lasting: true },
  input: z.object({ after: event.extend({ userId: z.string() }) }),
  uses: {
    notifications: 'write',
    pushDevices: 'read',
    webhooks: 'write',
    users: 'read',
    sessions: 'read',
    connections: 'read',
    events: 'write',
    outbox: 'write',
    bus: 'write',
  },
  run: ({ input, deps, now }) => {
    const { userId, ...recorded } = input.after
    return notify(deps, userId, recorded, now)
  },
})
