import * as z from 'zod'
import { newSchedule, removeOver, setTimer, showSchedule } from '../../app/instance/schedules.ts'
import { ownKey } from '../../domain/agent/observation.ts'
import { planById } from '../../domain/billing/plans.ts'
import { noInstance } from '../../domain/errors.ts'
import { checkExact, noRoom, schedule, scheduleInput } from '../../domain/instance/schedules.ts'
import { walletSuspended } from '../../domain/wallet/payment-required.ts'

import { operation } from '../kit/operation.ts'

export const createAgentSchedule = operation({
  id: 'createAgentSchedule',
  summary: 'Create a schedule for the agent, once or repeated',
  description:
    'The agent’s schedules share the plan’s limit and may use only a part of it. Repeating a request with the same ' +
    'key creates one schedule.',
  http: { method: 'POST', path: '/agent/schedules' },
  auth: 'agent',
  limit: 'agent',
  input: scheduleInput.safeExtend({ key: ownKey.meta({ example: 'tides-2026-11-24' }) }),
  exampleInput: { key: 'tides-2026-11-24', at: '2026-11-24T08:00:00.000Z', text: 'Look the tides up again.' },
  output: z.object({ schedule }),
  errors: ['conflict', 'not-found', 'wallet-suspended'],
  commits: true,
  uses: { agentSchedules: 'write', instances: 'read', schedules: 'write', timers: 'write', wallets: 'read' },
  run: async ({ input: { key, ...schedule }, actor: { userId }, deps, now, outboxFor }) => {
    const [instance, money] = await Promise.all([deps.instances.find(userId), deps.wallets.read(userId)])
    if (!instance || instance.desiredState === 'deleted') throw noInstance()
    if (money.frozen !== null) throw walletSuspended()
    const { plan } = instance
    const made = newSchedule(schedule, { id: deps.ids.next('sch'), by: 'agent', plan }, now)
    checkExact(made, await removeOver(deps, userId, plan, now))
    const outbox = outboxFor(made.id, [setTimer(deps, userId, made.id)])
    const kept = await deps.agentSchedules.add(userId, key, made, planById(plan).schedules, now, outbox)
    if (!kept) throw noRoom(plan, 'agent')
    if (kept.id === made.id) await outbox.flush()
    return { schedule: showSchedule(kept, now) }
  },
})
