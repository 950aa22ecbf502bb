import * as z from 'zod'
import { tellOwner } from '../../app/tokens/tell-owner.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { hook, secretText, showHook } from '../../domain/hooks/hook.ts'
import { markOfToken } from '../../domain/tokens/made-by-token.ts'
import { operation } from '../kit/operation.ts'

export const rerollHook = operation({
  id: 'rerollHook',
  summary: 'Replace the secret of a hook',
  description: 'The address stays the same. The old secret stops working at once.',
  http: { method: 'POST', path: '/hooks/{id}/reroll', status: 201 },
  creates: true,
  auth: 'user',
  recentSignIn: true,
  scope: 'api:hooks',
  input: z.strictObject({ id: z.string().max(100) }),
  output: z.object({ hook, secret: secretText }),
  errors: ['not-found', 'conflict'],
  commits: true,
  uses: { hooks: 'write', hookSecrets: 'read', users: 'read', mail: 'write' },
  run: async ({ input, actor, deps, now, outboxFor }) => {
    const { userId } = actor
    const old = await deps.hooks.find(input.id)
    if (old?.userId !== userId) throw notFound('hook')
    const marked = { ...old, ...markOfToken(actor, 'hook-secret', now) }
    const outbox = outboxFor(old.id, await tellOwner(deps, actor, 'hook-secret', old.name, now))
    if (!(await deps.hooks.reroll(marked, outbox)))
      throw conflict('Somebody else replaced the secret at the same moment. Replace it again.')
    await outbox.flush()
    const next = { ...old, secretVersion: old.secretVersion + 1 }
    return { hook: showHook(next, deps.settings.publicOrigin), secret: await deps.hookSecrets.secretOf(next) }
  },
})
