import { showStatus, status } from '../../domain/instance/status.ts'
import { operation } from '../kit/operation.ts'

export const getInstanceStatus = operation({
  id: 'getInstanceStatus',
  summary: 'Get the state of the machine, the wallet and the subscription',
  http: { method: 'GET', path: '/instance/status' },
  tool: {
    name: 'instance.status',
    title: 'Instance status',
    description:
      'Reads the state of the user’s agent machine (running, paused, …) and why, with the wallet balance and the subscription. ' +
      'Use it before pausing, resuming or refreshing, and to follow a change until it is done.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'mcp:instance.read',
  viewed: 'account',
  output: status,
  uses: { instances: 'read', wallets: 'read', users: 'read' },
  run: async ({ actor: { userId }, deps, now }) =>
    showStatus(
      ...(await Promise.all([deps.instances.find(userId), deps.wallets.read(userId), deps.users.find(userId)])),
      now,
    ),
})
