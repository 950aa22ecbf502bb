import * as z from 'zod'
import { runSchedule } from '../../domain/instance/run-schedule.ts'
import { reaction } from '../kit/operation.ts'

export const onScheduleDue = reaction({
  id: 'onScheduleDue',
  on: { bus: 'berth', source: 'berth', detailType: 'schedule.due' },
  input: z.object({ userId: z.string(), scheduleId: z.string(), dueAt: z.iso.datetime() }),
  uses: ['bus', 'conversations', 'events', 'instances', 'schedules', 'wallets'],
  run: ({ input, deps, now }) => runSchedule(deps, input, now),
})
