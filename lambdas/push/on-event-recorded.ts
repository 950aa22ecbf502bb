import * as z from 'zod'
import { pushEvent } from '../../app/socket/push.ts'
import { event } from '../../domain/chat/event.ts'
import { job } from '../kit/job.ts'

export const onEventRecorded = job({
  id: 'onEventRecorded',
  on: { table: 'events', key: 'id', prefixes: ['evt_'], changes: ['INSERT'] },
  input: z.object({ after: event.extend({ userId: z.string() }) }),
  uses: { connections: 'write', sockets: 'write' },
  run: ({ input, deps }) => {
    const { userId, ...recorded } = input.after
    return pushEvent(deps, userId, recorded)
  },
})
