import * as z from 'zod'
import { showSchedule } from '../../app/instance/schedules.ts'
import { planById } from '../../domain/billing/plans.ts'
import { awakeHourMicros } from '../../domain/instance/awake-time.ts'
import { isOver, schedule } from '../../domain/instance/schedules.ts'
import { unsignedMicros } from '../../domain/money.ts'
import { operation } from '../kit/operation.ts'

export const listSchedules = operation({
  id: 'listSchedules',
  summary: 'List the agent’s schedules',
  http: { method: 'GET', path: '/instance/schedules' },
  auth: 'user',
  scope: 'api:instance',
  viewed: 'messages',
  output: z.object({
    schedules: z.array(schedule),
    leastMinutes: z
      .int()
      .meta({ description: 'The minimum number of minutes between two runs of a new schedule, on the current plan.' }),
    awakeHourMicros: unsignedMicros.meta({
      description:
        'The part of the plan’s price for an hour in which the machine runs, in µUSD. It is not charged separately.',
    }),
  }),
  uses: { instances: 'read', schedules: 'read' },
  run: async ({ actor: { userId }, deps, now }) => {
    const [schedules, instance] = await Promise.all([deps.schedules.list(userId), deps.instances.find(userId)])
    const plan = planById(instance?.plan ?? 'starter')
    return {
      schedules: schedules
        .filter((schedule) => !isOver(schedule, plan.id, now))
        .map((schedule) => showSchedule(schedule, now)),
      leastMinutes: plan.schedules.leastMinutes,
      awakeHourMicros: awakeHourMicros[plan.id],
    }
  },
})
