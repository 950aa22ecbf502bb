import * as z from 'zod'
import { removePasskey as remove } from '../../app/account/passkeys.ts'
import { passkey, showPasskey } from '../../domain/account/passkey.ts'
import { notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const removePasskey = operation({
  id: 'removePasskey',
  summary: 'Remove a passkey',
  description:
    'The passkey can no longer sign in. Devices that signed in with it are signed out, except the one that makes ' +
    'this request. Requires a sign-in at most 10 minutes old.',
  http: { method: 'DELETE', path: '/auth/passkeys/{id}' },
  auth: 'session',
  recentSignIn: true,
  input: z.strictObject({ id: z.string().max(100) }),
  output: z.object({ passkey }),
  errors: ['not-found'],
  uses: { passkeys: 'write', sessions: 'write' },
  commits: true,
  run: async ({ input, actor, deps, now, outboxFor }) => {
    const removed = await remove(deps, actor, input.id, now, outboxFor)
    if (!removed) throw notFound('passkey')
    return { passkey: showPasskey(removed) }
  },
})
