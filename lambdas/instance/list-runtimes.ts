import * as z from 'zod'
import { runtime, showRuntime } from '../../domain/instance/runtime.ts'
import { operation } from '../kit/operation.ts'

export const listRuntimes = operation({
  id: 'listRuntimes',
  summary: 'List the programs that can be the agent',
  description:
    'Lists the programs that the operator of this service offers, their features, and the cheapest plan for each.',
  http: { method: 'GET', path: '/instance/runtimes' },
  auth: 'user',
  scope: 'mcp:instance.read',
  viewed: 'account',
  output: z.object({ runtimes: z.array(runtime) }),
  uses: { instances: 'read', runtimes: 'read' },
  run: async ({ actor, deps }) => {
    const [offered, instance] = await Promise.all([deps.runtimes.offered(), deps.instances.find(actor.userId)])
    return { runtimes: offered.map((manifest) => showRuntime(manifest, instance?.runtime)) }
  },
})
