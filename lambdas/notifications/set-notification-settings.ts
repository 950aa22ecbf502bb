import * as z from 'zod'
import { changeMuted } from '../../app/notifications/mute.ts'
import { muted } from '../../domain/notifications/notification.ts'
import { operation } from '../kit/operation.ts'

export const setNotificationSettings = operation({
  id: 'setNotificationSettings',
  summary: 'Choose your notifications by e-mail and push',
  description:
    'All notifications are on except those that you name. Security notifications about your account are always sent ' +
    'by e-mail and push.',
  http: { method: 'PUT', path: '/notifications/settings' },
  auth: 'session',
  commits: true,
  input: z.strictObject({ muted }),
  output: z.object({ muted }),
  errors: ['conflict'],
  uses: { users: 'write' },
  run: async ({ input, actor: { userId }, deps, outboxFor }) => ({
    muted: await changeMuted(deps, userId, () => input.muted, outboxFor),
  }),
})
