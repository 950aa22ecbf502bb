import * as z from 'zod'
import { runScheduleNow } from '../../app/chat/run-schedule.ts'
import { notFound } from '../../domain/errors.ts'
import { scheduleRun } from '../../domain/instance/schedules.ts'
import { operation } from '../kit/operation.ts'

export const runSchedule = operation({
  id: 'runSchedule',
  summary: 'Run a schedule now',
  description:
    'The scheduled times stay unchanged. This wakes an agent that is paused because it was idle, and is refused ' +
    'while you or billing paused it.',
  http: { method: 'POST', path: '/instance/schedules/{id}/runs', status: 202 },
  creates: true,
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({ id: z.string() }),
  output: z.object({ run: scheduleRun }),
  errors: ['conflict', 'not-found', 'wallet-empty', 'wallet-suspended'],
  uses: {
    bus: 'write',
    conversations: 'write',
    events: 'write',
    instances: 'write',
    outbox: 'write',
    schedules: 'write',
    timers: 'write',
    wallets: 'read',
  },
  run: async ({ input, actor, deps, now, claims }) => {
    const run = await runScheduleNow(deps, actor.userId, input.id, now, ...claims)
    if (!run) throw notFound('schedule')
    return { run }
  },
})
