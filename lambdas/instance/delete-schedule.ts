import * as z from 'zod'
import { showSchedule } from '../../app/instance/schedules.ts'
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
  audit: ({ input }) => ({ record: input.id }),
  uses: { schedules: 'write', timers: 'write' },
  run: async ({ input, actor: { userId }, deps, now }) => {
    const found = await deps.schedules.find(userId, input.id)
    if (!found) throw notFound('schedule')
    await deps.timers.remove(found.id)
    await deps.schedules.remove(userId, found.id)
    return { schedule: showSchedule(found, now) }
  },
})
