import * as z from 'zod'
import { requestPreChangePoint } from '../../app/files/restore-points.ts'
import { changeMachine, machineActions } from '../../app/operator/machines.ts'
import { showInstance } from '../../domain/instance/explain.ts'
import { changed, transitionStatus } from '../../domain/instance/status.ts'
import { aboutUser } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const changeUserMachine = operation({
  id: 'changeUserMachine',
  summary: 'Retry, stop or refresh a user’s machine',
  description:
    '`retry` starts a failed machine, as its owner could. `stop` stops the machine; a message wakes it again, ' +
    'unless the wallet is suspended. `refresh` takes a restore point and restarts the machine.',
  http: { method: 'POST', path: '/operator/users/{user}/machine', status: transitionStatus },
  auth: 'operator',
  commits: true,
  input: aboutUser.extend({ action: z.enum(machineActions).meta({ example: 'retry' }) }),
  output: changed,
  errors: ['not-found', 'conflict', 'wallet-empty', 'wallet-suspended'],
  uses: {
    instances: 'write',
    users: 'read',
    wallets: 'read',
    bus: 'write',
    events: 'write',
    restorePoints: 'write',
    tasks: 'write',
  },
  run: async ({ input: { user, action }, deps, now, outboxFor }) => {
    if (action === 'refresh') await requestPreChangePoint(deps, await deps.instances.find(user), 'refresh', now)
    return { instance: showInstance(await changeMachine(deps, user, action, now, outboxFor)) }
  },
})
