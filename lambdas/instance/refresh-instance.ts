import { requestPreChangePoint } from '../../app/files/restore-points.ts'
import { changeInstance } from '../../app/instance/change.ts'
import { showInstance } from '../../domain/instance/explain.ts'
import { changed, transitionStatus } from '../../domain/instance/status.ts'
import { operation } from '../kit/operation.ts'

export const refreshInstance = operation({
  id: 'refreshInstance',
  summary: 'Restart the agent with its current settings and new tokens',
  description:
    '202: the agent is restarting, also if an earlier call restarted it. 409: the machine is starting, pausing or ' +
    'paused, or the instance is being deleted.',
  http: { method: 'POST', path: '/instance/refresh', status: transitionStatus },
  tool: {
    name: 'instance.refreshEnv',
    title: 'Refresh the instance',
    description:
      'Restarts the agent with its current environment variables and settings, and with new machine tokens; the old ' +
      'ones stop working. Use it after changing variables or when the agent is stuck. Returns the instance; it is ' +
      'done when state is running.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:instance.write',
  output: changed,
  errors: ['conflict', 'not-found'],
  commits: true,
  uses: { instances: 'write', bus: 'write', events: 'write', restorePoints: 'write', tasks: 'write' },
  run: async ({ actor: { userId }, deps, now, outboxFor }) => {
    await requestPreChangePoint(deps, await deps.instances.find(userId), 'refresh', now)
    return {
      instance: showInstance((await changeInstance(deps, userId, 'refresh', 'refresh', now, outboxFor)).instance),
    }
  },
})
