import * as z from 'zod'
import { passkey, showPasskey } from '../../domain/account/passkey.ts'
import { notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const removePasskey = operation({
  id: 'removePasskey',
  summary: 'Remove a passkey',
  description:
    'It can no longer sign in. Devices it signed in stay signed in until their sessions are ended. Wants a sign-in at most 10 minutes old.',
  http: { method: 'DELETE', path: '/auth/passkeys/{id}' },
  auth: 'session',
  recentSignIn: true,
  input: z.strictObject({ id: z.string().max(100) }),
  output: z.object({ passkey }),
  errors: ['not-found'],
  uses: { passkeys: 'write' },
  commits: true,
  run: async ({ input, actor, deps, commit }) => {
    const removed = await commit(input.id, () => deps.passkeys.remove(actor.userId, input.id))
    if (!removed) throw notFound('passkey')
    return { passkey: showPasskey(removed) }
  },
})
