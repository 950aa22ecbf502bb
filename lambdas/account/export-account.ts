import * as z from 'zod'
import { exportAccount as readExport } from '../../app/account/export.ts'
import { accountExport } from '../../domain/account/export.ts'
import { unauthorized } from '../../domain/errors.ts'
import { cursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const exportAccount = operation({
  id: 'exportAccount',
  summary: 'Everything we keep about you, as JSON',
  description:
    'Requires a sign-in at most 10 minutes old. A long history comes in parts: ask again with `nextCursor` until it is null. ' +
    'Not in it: the volume’s files (createExport has them, with what was attached to messages; getAttachment has that for 30 days), the values of variables and what is kept for days only, ' +
    'such as events and measurements.',
  http: { method: 'GET', path: '/account/export' },
  auth: 'session',
  recentSignIn: true,
  limit: 'write',
  input: z.strictObject({ cursor }),
  output: accountExport,
  uses: {
    audit: 'read',
    catalogue: 'read',
    conversations: 'read',
    instances: 'read',
    notifications: 'read',
    passkeys: 'read',
    pushDevices: 'read',
    restorePoints: 'read',
    channelLinks: 'read',
    schedules: 'read',
    hooks: 'read',
    sessions: 'read',
    tokens: 'read',
    users: 'read',
    wallets: 'read',
    webhooks: 'read',
  },
  audit: ({ actor }) => actor.userId,
  run: async ({ input, actor, deps, now }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    return readExport(deps, user, { sessionId: actor.sessionId, from: input.cursor, nowMs: now })
  },
})
