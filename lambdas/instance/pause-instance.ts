import { changeInstance } from '../../app/instance/change.ts'
import { showInstance } from '../../domain/instance/explain.ts'
import { changed, transitionStatus } from '../../domain/instance/status.ts'
import { operation } from '../kit/operation.ts'

export const pauseInstance = operation({
  id: 'pauseInstance',
  summary: 'Stop the machine and keep its volume',
  description:
    '202: the machine is stopping, also if an earlier call stopped it. 200: it is already paused. 409: it is ' +
    'starting, refreshing, failed or being deleted.',
  http: { method: 'POST', path: '/instance/pause', status: transitionStatus },
  tool: {
    name: 'instance.pause',
    title: 'Pause the instance',
    description:
      'Stops the user’s agent machine and keeps its volume. A message or resume starts the machine again. Use it to ' +
      'save money or to stop a misbehaving agent. Pausing a paused instance changes nothing. Returns the instance; ' +
      'it is done when state is paused.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:instance.write',
  output: changed,
  errors: ['conflict', 'not-found'],
  commits: true,
  uses: { instances: 'write', bus: 'write', events: 'write' },
  run: async ({ actor, deps, now, outboxFor }) => ({
    instance: showInstance((await changeInstance(deps, actor.userId, 'pause', 'user', now, outboxFor)).instance),
  }),
})
