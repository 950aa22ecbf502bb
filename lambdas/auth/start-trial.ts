import * as z from 'zod'
import { startTrial as start } from '../../app/trial/start-trial.ts'
import { checkOpen } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { trial } from '../../domain/trial/trial.ts'
import { operation } from '../kit/operation.ts'

export const startTrial = operation({
  id: 'startTrial',
  summary: 'Start the trial',
  description:
    'Gives an account that never had a plan its only trial: credit for model calls, and a machine for some hours. ' +
    '`listPlans` describes the trial and says whether one is available. While the trial lasts, a repeated request ' +
    'gets the same answer. If the user then subscribes to a plan, everything that the trial created stays.',
  http: { method: 'POST', path: '/trial', status: 201 },
  auth: 'session',
  output: z.object({ trial }),
  errors: ['conflict'],
  commits: true,
  uses: {
    trials: 'write',
    trialBudget: 'read',
    users: 'read',
    instances: 'write',
    bus: 'write',
    events: 'write',
    edge: 'read',
  },
  run: async ({ actor, deps, now, request, outboxFor }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    checkOpen(user)
    return { trial: await start(deps, user, request.ip, now, outboxFor) }
  },
})
