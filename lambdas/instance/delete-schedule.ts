import * as z from 'zod'
import { setTimer, showSchedule } from '../../app/instance/schedules.ts'
import { notFound } from '../../domain/errors.ts'
import { schedule } from '../../domain/instance/schedules.ts'
import { operation } from '../kit/operation.ts'

export const deleteSchedule = operation({
  id: 'deleteSchedule',
  summary: 'Delete a schedule',
  http: { method: 'DELETE', path: '/instance/schedules/{id}' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ id: z.string() }),
  output: z.object({ schedule }),
  errors: ['not-found'],
  commits: true,
  uses: { schedules: 'write', timers: 'write' },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const schedule = await deps.schedules.find(userId, input.id)
    if (!schedule) throw notFound('schedule')
    const outbox = outboxFor(schedule.id, [setTimer(deps, userId, schedule.id)])
    if (await deps.schedules.remove(userId, schedule, outbox)) await outbox.flush()
    return { schedule: showSchedule(schedule, now) }
  },
})
