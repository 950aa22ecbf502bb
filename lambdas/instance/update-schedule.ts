import * as z from 'zod'
import { changedSchedule, setTimer, showSchedule } from '../../app/instance/schedules.ts'
import { notFound } from '../../domain/errors.ts'
import { checkExact, schedule, scheduleChange } from '../../domain/instance/schedules.ts'
import { operation } from '../kit/operation.ts'

export const updateSchedule = operation({
  id: 'updateSchedule',
  summary: 'Change or pause a schedule',
  description: 'Omitted fields stay unchanged. New times must respect the plan’s limit, as for a new schedule.',
  http: { method: 'PATCH', path: '/instance/schedules/{id}' },
  auth: 'user',
  scope: 'api:instance',
  input: scheduleChange.safeExtend({ id: z.string() }),
  exampleInput: { id: 'sch_01KAHB2N3P4Q5R6S7T8V9WXYZ0', paused: true },
  output: z.object({ schedule }),
  errors: ['conflict', 'not-found'],
  commits: true,
  uses: { instances: 'read', schedules: 'write', timers: 'write' },
  run: async ({ input: { id, ...change }, actor: { userId }, deps, now, outboxFor }) => {
    const [found, instance] = await Promise.all([deps.schedules.find(userId, id), deps.instances.find(userId)])
    if (!found) throw notFound('schedule')
    const next = changedSchedule(found, change, instance?.plan ?? 'starter', now)
    if (next.exact && !found.exact) checkExact(next, await deps.schedules.list(userId))
    const outbox = outboxFor(id, [setTimer(deps, userId, id)])
    if (!(await deps.schedules.update(userId, next, outbox))) throw notFound('schedule')
    await outbox.flush()
    return { schedule: showSchedule(next, now) }
  },
})
