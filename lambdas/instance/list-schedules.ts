import * as z from 'zod'
import { showSchedule } from '../../app/instance/schedules.ts'
import { planById } from '../../domain/billing/plans.ts'
import { machineHourMicros } from '../../domain/costs/machine.ts'
import { isOver, schedule } from '../../domain/instance/schedules.ts'
import { unsignedMicros } from '../../domain/money.ts'
import { operation } from '../kit/operation.ts'

export const listSchedules = operation({
  id: 'listSchedules',
  summary: 'When your agent is woken, and what it is asked then',
  http: { method: 'GET', path: '/instance/schedules' },
  auth: 'user',
  scope: 'api:instance',
  viewed: 'messages',
  output: z.object({
    schedules: z.array(schedule),
    leastMinutes: z
      .int()
      .meta({ description: 'Minutes between two times of a new schedule, at least, on the present plan.' }),
    awakeHourMicros: unsignedMicros.meta({
      description: 'The share of an hour awake in the plan’s price, in µUSD; it is not charged.',
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
      awakeHourMicros: Math.ceil(machineHourMicros(plan, 'spare')),
    }
  },
})
