import * as z from 'zod'
import { notification, showNotification, stillUnread } from '../../domain/notifications/notification.ts'
import { cursor, fromCursor, pageLimit, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const listNotifications = operation({
  id: 'listNotifications',
  summary: 'List your notifications, newest first',
  description:
    'Contains the last 90 days. The texts are made from `kind` and `facts`. Some facts contain words that other ' +
    'people wrote.',
  http: { method: 'GET', path: '/notifications' },
  auth: 'session',
  viewed: 'messages',
  input: z.strictObject({ cursor, limit: pageLimit }),
  output: z.object({
    notifications: z.array(notification),
    unread: z.int().meta({ description: 'The number of unread notifications, at most 100.' }),
    nextCursor: z.string().nullable(),
  }),
  uses: { notifications: 'read' },
  run: async ({ input: { cursor, limit }, actor: { userId }, deps, now }) => {
    const after = fromCursor(cursor, 'ntf')
    const [page, kept] = await Promise.all([
      deps.notifications.list(userId, { after, limit }),
      deps.notifications.unread(userId),
    ])
    const unread = stillUnread(kept, now)
    return {
      notifications: page.items.map((record) => showNotification(record, unread)),
      unread: unread.size,
      nextCursor: toCursor(page.next),
    }
  },
})
