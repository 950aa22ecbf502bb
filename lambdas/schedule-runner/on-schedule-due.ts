import * as z from 'zod'
import { runSchedule } from '../../app/chat/run-schedule.ts'
import { job } from '../kit/job.ts'

export const onScheduleDue = job({
  id: 'onScheduleDue',
  on: { bus: 'berth', source: 'berth', detailType: 'schedule.due' },
  input: z.object({ userId: z.string(), scheduleId: z.string(), dueAt: z.iso.datetime() }),
  uses: {
    bus: 'write',
    conversations: 'write',
    events: 'write',
    instances: 'write',
    outbox: 'write',
    schedules: 'write',
    timers: 'write',
    wallets: 'read',
  },
  run: ({ input, deps, now }) => runSchedule(deps, input, now),
})
