import * as z from 'zod'
import { schedule, showSchedule } from '../../domain/instance/schedules.ts'
import { operation } from '../kit/operation.ts'

export const listSchedules = operation({
  id: 'listSchedules',
  summary: 'When your agent is woken, and what it is asked then',
  http: { method: 'GET', path: '/instance/schedules' },
  auth: 'user',
  scope: 'api:instance',
  limit: 'read',
  input: z.strictObject({}),
  output: z.object({ schedules: z.array(schedule), nextCursor: z.string().nullable() }),
  errors: [],
  uses: ['schedules'],
  run: async ({ actor, deps, now }) => ({
    schedules: (await deps.schedules.list(actor.userId)).map((one) => showSchedule(one, now)),
    nextCursor: null,
  }),
})
