import { resumeInstance as resume } from '../../app/instance/change.ts'
import { showInstance } from '../../domain/instance/explain.ts'
import { changed, transitionStatus } from '../../domain/instance/status.ts'
import { operation } from '../kit/operation.ts'

export const resumeInstance = operation({
  id: 'resumeInstance',
  summary: 'Start a paused instance, or create a new one after a deletion',
  description:
    '202: the machine is starting, also if an earlier call started it. 200: it is already running. 409: it is ' +
    'pausing or refreshing, the instance is being deleted, or there is no active subscription.',
  http: { method: 'POST', path: '/instance/resume', status: transitionStatus },
  tool: {
    name: 'instance.resume',
    title: 'Resume the instance',
    description:
      'Starts the user’s paused agent machine on its kept volume. Needs an active subscription and money in the ' +
      'wallet. Resuming a running instance changes nothing. Returns the instance; it is done when state is running.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:instance.write',
  output: changed,
  errors: ['conflict', 'not-found', 'wallet-empty', 'wallet-suspended'],
  commits: true,
  uses: { instances: 'write', users: 'read', wallets: 'read', bus: 'write', events: 'write' },
  run: async ({ actor, deps, now, outboxFor }) => ({
    instance: showInstance(await resume(deps, actor.userId, now, outboxFor)),
  }),
})
