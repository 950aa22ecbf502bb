import * as z from 'zod'
import { checkTimeZone, parseCron } from '../../app/instance/cron.ts'
import { setTimer, showSchedule } from '../../app/instance/schedules.ts'
import { notFound } from '../../domain/errors.ts'
import { checkInterval, maxSchedules, maxScheduleText, noRoom, schedule } from '../../domain/instance/schedules.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const createSchedule = operation({
  id: 'createSchedule',
  summary: 'Ask the agent something at certain times',
  description:
    'A schedule wakes what idleness paused, and nothing that you or billing paused. How close together its times may lie depends on the plan.',
  http: { method: 'POST', path: '/instance/schedules', status: 201 },
  creates: true,
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({
    cron: z.string().trim().min(1).max(100).meta({ example: '0 8 * * 1-5' }),
    timeZone: z.string().min(1).max(64).default('UTC').meta({ example: 'Europe/Berlin' }),
    text: z.string().trim().min(1).max(maxScheduleText).meta({ example: 'Write my morning brief.' }),
  }),
  output: z.object({ schedule }),
  errors: ['conflict', 'not-found'],
  commits: true,
  uses: { instances: 'read', schedules: 'write', timers: 'write' },
  run: async ({ input, actor: { userId }, deps, now, commit }) => {
    const fields = parseCron(input.cron)
    checkTimeZone(input.timeZone)
    const instance = await deps.instances.find(userId)
    if (!instance || instance.desiredState === 'deleted') throw notFound('instance; subscribe to a plan to get one')
    checkInterval(fields, instance.plan)
    const made = { id: deps.ids.next('sch'), ...input, createdAt: iso(now), lastRun: null }
    const add = () => deps.schedules.add(userId, made, maxSchedules(instance.plan))
    if (!(await commit(made.id, add, [setTimer(deps, userId, made.id)]))) throw noRoom(instance.plan)
    return { schedule: showSchedule(made, now) }
  },
})
