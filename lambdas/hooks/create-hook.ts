import * as z from 'zod'
import { tellOwner } from '../../app/tokens/tell-owner.ts'
import { noInstance } from '../../domain/errors.ts'
import { hook, hookLimits, maxHookText, noRoomForHook, secretText, showHook } from '../../domain/hooks/hook.ts'
import { name } from '../../domain/name.ts'
import { text } from '../../domain/text-schema.ts'
import { iso } from '../../domain/time.ts'
import { markOfToken } from '../../domain/tokens/made-by-token.ts'
import { operation } from '../kit/operation.ts'

export const createHook = operation({
  id: 'createHook',
  summary: 'Let another program prompt the agent',
  description:
    'A request to the hook’s address with its secret becomes a prompt: your `text`, followed by the request’s body ' +
    'as data. Send the secret as `Authorization: Bearer`, or sign the body as GitHub or Standard Webhooks do. A ' +
    'delivery wakes an agent that is paused because it was idle.',
  http: { method: 'POST', path: '/hooks', status: 201 },
  creates: true,
  auth: 'user',
  recentSignIn: true,
  scope: 'api:hooks',
  input: z.strictObject({
    name: name('Give the hook a name.').meta({ example: 'Deployments' }),
    text: text().trim().min(1).max(maxHookText).meta({ example: 'Look at what failed, and tell me why.' }),
  }),
  output: z.object({ hook, secret: secretText }),
  errors: ['conflict', 'not-found'],
  commits: true,
  uses: { instances: 'read', hooks: 'write', hookSecrets: 'read', users: 'read', mail: 'write' },
  run: async ({ input, actor, deps, now, outboxFor }) => {
    const { userId } = actor
    const instance = await deps.instances.find(userId)
    if (!instance || instance.desiredState === 'deleted') throw noInstance()
    const id = deps.ids.next('hok')
    const mark = markOfToken(actor, 'hook', now)
    const made = { id, userId, ...input, secretVersion: 1, createdAt: iso(now), lastDelivery: null, ...mark }
    const { plan } = instance
    const outbox = outboxFor(id, await tellOwner(deps, actor, 'hook', made.name, now))
    if (!(await deps.hooks.add(made, hookLimits(plan).most, outbox))) throw noRoomForHook(plan)
    await outbox.flush()
    return { hook: showHook(made, deps.settings.publicOrigin), secret: await deps.hookSecrets.secretOf(made) }
  },
})
