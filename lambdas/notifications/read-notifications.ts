import * as z from 'zod'
import { idPattern } from '../../domain/ids.ts'
import { maxUnread, stillUnread } from '../../domain/notifications/notification.ts'
import { operation } from '../kit/operation.ts'

const id = z.string().regex(idPattern('ntf'), 'Expected the id of a notification, ntf_…')

export const readNotifications = operation({
  id: 'readNotifications',
  summary: 'Mark notifications as read',
  description: 'Marks the given ones, or all up to one. A notification that is already read stays read.',
  http: { method: 'POST', path: '/notifications/read' },
  auth: 'session',
  input: z.strictObject({
    ids: z
      .array(id)
      .max(maxUnread)
      .optional()
      .meta({ example: ['ntf_01KAHB2N3P4Q5R6S7T8V9WXYZ0'] }),
    upTo: id.optional().meta({
      description: 'Marks this notification and all earlier ones.',
      example: 'ntf_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
    }),
  }),
  output: z.object({ unread: z.int() }),
  uses: { notifications: 'write' },
  run: async ({ input: { ids = [], upTo = '' }, actor: { userId }, deps, now }) => {
    const unread = [...stillUnread(await deps.notifications.unread(userId), now)]
    const read = unread.filter((each) => each <= upTo || ids.includes(each))
    await deps.notifications.markRead(userId, read)
    return { unread: unread.length - read.length }
  },
})
