import * as z from 'zod'
import { accountExport, exportAccount as gather } from '../../domain/account/export.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const exportAccount = operation({
  id: 'exportAccount',
  summary: 'Everything we keep about you, as JSON',
  description: 'Wants a sign-in at most 10 minutes old.',
  http: { method: 'GET', path: '/account/export' },
  auth: 'session',
  recentSignIn: true,
  limit: 'write',
  input: z.strictObject({}),
  output: accountExport,
  errors: [],
  uses: ['users', 'tokens', 'sessions', 'passkeys', 'wallets', 'conversations', 'instances', 'audit'],
  audit: ({ actor }) => ({ record: actor.userId }),
  run: async ({ actor, deps, now }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    return gather(deps, user, actor.sessionId, now)
  },
})
