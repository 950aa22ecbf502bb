import * as z from 'zod'
import { checkTimeZone, parseCron } from '../../app/instance/cron.ts'
import { showSchedule } from '../../app/instance/schedules.ts'
import { notFound } from '../../domain/errors.ts'
import { checkRoom, maxScheduleText, schedule } from '../../domain/instance/schedules.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const createSchedule = operation({
  id: 'createSchedule',
  summary: 'Ask the agent something at certain times',
  description: 'A schedule wakes what idleness paused, and nothing that you or billing paused.',
  http: { method: 'POST', path: '/instance/schedules', status: 201 },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({
    cron: z.string().trim().min(1).max(100).meta({ example: '0 8 * * 1-5' }),
    timeZone: z.string().min(1).max(64).default('UTC').meta({ example: 'Europe/Berlin' }),
    text: z.string().trim().min(1).max(maxScheduleText).meta({ example: 'Write my morning brief.' }),
  }),
  output: z.object({ schedule }),
  errors: ['conflict', 'not-found'],
  audit: ({ output }) => ({ record: output.schedule.id }),
  uses: { instances: 'read', schedules: 'write', timers: 'write' },
  run: async ({ input, actor: { userId }, deps, now }) => {
    parseCron(input.cron)
    checkTimeZone(input.timeZone)
    const [instance, present] = await Promise.all([deps.instances.find(userId), deps.schedules.list(userId)])
    if (!instance || instance.desiredState === 'deleted') throw notFound('instance; subscribe to a plan to get one')
    checkRoom(present, instance.plan)
    const made = { id: deps.ids.next('sch'), ...input, createdAt: iso(now), lastRun: null }
    await deps.schedules.add(userId, made)
    await deps.timers.set(userId, made)
    return { schedule: showSchedule(made, now) }
  },
})
