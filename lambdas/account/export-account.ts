import * as z from 'zod'
import { exportAccount as readExport } from '../../app/account/export.ts'
import { accountExport } from '../../domain/account/export.ts'
import { unauthorized } from '../../domain/errors.ts'
import { cursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const exportAccount = operation({
  id: 'exportAccount',
  summary: 'Export everything we store about you, as JSON',
  description:
    'Requires a sign-in at most 10 minutes old. A long history has several parts: repeat the request with ' +
    '`nextCursor` until it is null. The export does not contain the volume’s files (`createExport` has them, with ' +
    'the attachments of messages; `getAttachment` serves attachments for 30 days), the values of variables, or data ' +
    'that is kept only for days, such as events and measurements.',
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
    runs: 'read',
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
