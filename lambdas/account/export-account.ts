import * as z from 'zod'
import { accountExport, exportAccount as gather } from '../../domain/account/export.ts'
import { unauthorized } from '../../domain/errors.ts'
import { cursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const exportAccount = operation({
  id: 'exportAccount',
  summary: 'Everything we keep about you, as JSON',
  description:
    'Wants a sign-in at most 10 minutes old. A long history comes in parts: ask again with `nextCursor` until it is null. ' +
    'Not in it: the volume’s files (createExport has them), the values of variables and what is kept for days only, ' +
    'such as events and measurements.',
  http: { method: 'GET', path: '/account/export' },
  auth: 'session',
  recentSignIn: true,
  limit: 'write',
  input: z.strictObject({ cursor }),
  output: accountExport,
  errors: [],
  uses: [
    'audit',
    'catalogue',
    'conversations',
    'instances',
    'passkeys',
    'restorePoints',
    'schedules',
    'sessions',
    'tokens',
    'users',
    'wallets',
  ],
  audit: ({ actor }) => ({ record: actor.userId }),
  run: async ({ input, actor, deps, now }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    return gather(deps, user, { sessionId: actor.sessionId, from: input.cursor, nowMs: now })
  },
})
