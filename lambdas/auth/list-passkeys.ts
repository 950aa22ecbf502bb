import * as z from 'zod'
import { passkey, showPasskey } from '../../domain/account/passkey.ts'
import { operation } from '../kit/operation.ts'

export const listPasskeys = operation({
  id: 'listPasskeys',
  summary: 'List your passkeys',
  http: { method: 'GET', path: '/auth/passkeys' },
  auth: 'session',
  viewed: 'account',
  output: z.object({ passkeys: z.array(passkey) }),
  uses: { passkeys: 'read' },
  run: async ({ actor, deps }) => ({
    passkeys: (await deps.passkeys.list(actor.userId)).map(showPasskey),
  }),
})
