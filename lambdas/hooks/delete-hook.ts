import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { hook, showHook } from '../../domain/hooks/hook.ts'
import { operation } from '../kit/operation.ts'

export const deleteHook = operation({
  id: 'deleteHook',
  summary: 'Delete a hook',
  description: 'Its address and secret stop working at once.',
  http: { method: 'DELETE', path: '/hooks/{id}' },
  auth: 'user',
  scope: 'api:hooks',
  input: z.strictObject({ id: z.string().max(100) }),
  output: z.object({ hook }),
  errors: ['not-found'],
  commits: true,
  uses: { hooks: 'write' },
  run: async ({ input, actor: { userId }, deps, outboxFor }) => {
    const hook = await deps.hooks.find(input.id)
    if (hook?.userId !== userId) throw notFound('hook')
    await deps.hooks.remove(hook, outboxFor(hook.id))
    return { hook: showHook(hook, deps.settings.publicOrigin) }
  },
})
