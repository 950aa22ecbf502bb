import * as z from 'zod'
import { hook, hookLimits, showHook } from '../../domain/hooks/hook.ts'
import { operation } from '../kit/operation.ts'

export const listHooks = operation({
  id: 'listHooks',
  summary: 'List the addresses at which other programs can prompt your agent',
  http: { method: 'GET', path: '/hooks' },
  auth: 'user',
  scope: 'api:hooks',
  viewed: 'messages',
  output: z.object({
    hooks: z.array(hook).meta({ description: 'Newest first.' }),
    deliveriesAnHour: z
      .int()
      .meta({ description: 'The number of deliveries that one hook accepts in an hour, on the current plan.' }),
  }),
  uses: { instances: 'read', hooks: 'read' },
  run: async ({ actor: { userId }, deps }) => {
    const [hooks, instance] = await Promise.all([deps.hooks.list(userId), deps.instances.find(userId)])
    return {
      hooks: hooks.map((hook) => showHook(hook, deps.settings.publicOrigin)),
      deliveriesAnHour: hookLimits(instance?.plan ?? 'starter').deliveriesAnHour,
    }
  },
})
