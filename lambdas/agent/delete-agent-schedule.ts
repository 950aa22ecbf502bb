import * as z from 'zod'
import { setTimer, showSchedule } from '../../app/instance/schedules.ts'
import { notFound } from '../../domain/errors.ts'
import { checkPlaceFree, schedule } from '../../domain/instance/schedules.ts'
import { operation } from '../kit/operation.ts'

export const deleteAgentSchedule = operation({
  id: 'deleteAgentSchedule',
  summary: 'Delete a schedule that the agent created',
  description:
    'A schedule that ran a moment ago still counts against the plan’s limit until the plan’s shortest interval has ' +
    'passed.',
  http: { method: 'DELETE', path: '/agent/schedules/{id}' },
  auth: 'agent',
  limit: 'agent',
  input: z.strictObject({ id: z.string() }),
  output: z.object({ schedule }),
  errors: ['conflict', 'not-found'],
  commits: true,
  uses: { instances: 'read', schedules: 'write', timers: 'write' },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const [schedule, instance] = await Promise.all([deps.schedules.find(userId, input.id), deps.instances.find(userId)])
    if (!instance || schedule?.by !== 'agent') throw notFound('schedule')
    checkPlaceFree(schedule, instance.plan, now)
    const outbox = outboxFor(schedule.id, [setTimer(deps, userId, schedule.id)])
    if (await deps.schedules.remove(userId, schedule, outbox)) await outbox.flush()
    return { schedule: showSchedule(schedule, now) }
  },
})
