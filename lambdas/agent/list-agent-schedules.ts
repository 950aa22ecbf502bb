import * as z from 'zod'
import { showSchedule } from '../../app/instance/schedules.ts'
import { planById } from '../../domain/billing/plans.ts'
import { noInstance } from '../../domain/errors.ts'
import { isOver, schedule } from '../../domain/instance/schedules.ts'
import { operation } from '../kit/operation.ts'

export const listAgentSchedules = operation({
  id: 'listAgentSchedules',
  summary: 'List the schedules that the agent created',
  http: { method: 'GET', path: '/agent/schedules' },
  auth: 'agent',
  limit: 'agent',
  output: z.object({
    schedules: z.array(schedule),
    most: z.int().meta({ description: 'The maximum number of the agent’s own schedules.' }),
    leastMinutes: z.int().meta({ description: 'The minimum number of minutes between two runs.' }),
  }),
  errors: ['not-found'],
  uses: { instances: 'read', schedules: 'read' },
  run: async ({ actor: { userId }, deps, now }) => {
    const [schedules, instance] = await Promise.all([deps.schedules.list(userId), deps.instances.find(userId)])
    if (!instance) throw noInstance()
    const { byAgent, leastMinutes } = planById(instance.plan).schedules
    const own = schedules.filter((schedule) => schedule.by === 'agent' && !isOver(schedule, instance.plan, now))
    return { schedules: own.map((schedule) => showSchedule(schedule, now)), most: byAgent, leastMinutes }
  },
})
