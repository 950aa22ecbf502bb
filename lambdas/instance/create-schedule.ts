import * as z from 'zod'
import { newSchedule, removeOver, setTimer, showSchedule } from '../../app/instance/schedules.ts'
import { planById } from '../../domain/billing/plans.ts'
import { noInstance } from '../../domain/errors.ts'
import { checkExact, noRoom, schedule, scheduleInput } from '../../domain/instance/schedules.ts'
import { operation } from '../kit/operation.ts'

export const createSchedule = operation({
  id: 'createSchedule',
  summary: 'Send the agent a prompt at certain times, or once',
  description:
    'A schedule wakes an agent that is paused because it was idle, but not one that you or billing paused. The plan ' +
    'decides how often a schedule may run.',
  http: { method: 'POST', path: '/instance/schedules', status: 201 },
  creates: true,
  auth: 'user',
  scope: 'api:instance',
  input: scheduleInput,
  exampleInput: { cron: '0 8 * * 1-5', timeZone: 'Europe/Berlin', text: 'Write my morning brief.' },
  output: z.object({ schedule }),
  errors: ['conflict', 'not-found'],
  commits: true,
  uses: { instances: 'read', schedules: 'write', timers: 'write' },
  run: async ({ input, actor: { userId }, deps, now, outboxFor }) => {
    const instance = await deps.instances.find(userId)
    if (!instance || instance.desiredState === 'deleted') throw noInstance()
    const { plan } = instance
    const made = newSchedule(input, { id: deps.ids.next('sch'), by: 'user', plan }, now)
    checkExact(made, await removeOver(deps, userId, plan, now))
    const outbox = outboxFor(made.id, [setTimer(deps, userId, made.id)])
    if (!(await deps.schedules.add(userId, made, planById(plan).schedules.most, outbox))) throw noRoom(plan, 'user')
    await outbox.flush()
    return { schedule: showSchedule(made, now) }
  },
})
