import * as z from 'zod'
import { showSchedule } from '../../app/instance/schedules.ts'
import { schedule } from '../../domain/instance/schedules.ts'
import { operation } from '../kit/operation.ts'

export const listSchedules = operation({
  id: 'listSchedules',
  summary: 'When your agent is woken, and what it is asked then',
  http: { method: 'GET', path: '/instance/schedules' },
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ schedules: z.array(schedule) }),
  uses: { schedules: 'read' },
  run: async ({ actor, deps, now }) => ({
    schedules: (await deps.schedules.list(actor.userId)).map((schedule) => showSchedule(schedule, now)),
  }),
})
