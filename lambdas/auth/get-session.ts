import * as z from 'zod'
import { account, showAccount } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { stillUnread } from '../../domain/notifications/notification.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { operation } from '../kit/operation.ts'

export const getSession = operation({
  id: 'getSession',
  summary: 'Get the signed-in user of this browser',
  http: { method: 'GET', path: '/auth/session' },
  auth: 'session',
  output: z.object({
    account,
    signedInAt: timestamp,
    unread: z.int().meta({ description: 'The number of unread notifications, at most 100.' }),
  }),
  viewed: 'account',
  uses: { users: 'read', notifications: 'read' },
  run: async ({ actor, deps, now }) => {
    const [user, unread] = await Promise.all([deps.users.find(actor.userId), deps.notifications.unread(actor.userId)])
    if (!user) throw unauthorized()
    return { account: showAccount(user), signedInAt: actor.signedInAt, unread: stillUnread(unread, now).size }
  },
})
