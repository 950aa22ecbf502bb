import * as z from 'zod'
import { unauthorized } from '../../domain/errors.ts'
import { maxDevices, pushDevice, showDevice } from '../../domain/notifications/device.ts'
import { muted } from '../../domain/notifications/notification.ts'
import { operation } from '../kit/operation.ts'

export const getNotificationSettings = operation({
  id: 'getNotificationSettings',
  summary: 'Get your notification settings',
  http: { method: 'GET', path: '/notifications/settings' },
  auth: 'session',
  output: z.object({
    muted,
    devices: z
      .array(pushDevice)
      .meta({ description: 'Browsers that get push notifications while they are signed in.' }),
    maxDevices: z.int(),
    publicKey: z.string().meta({
      description: 'The `applicationServerKey` that a browser subscribes with (VAPID), base64url.',
      example: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    }),
  }),
  uses: { users: 'read', pushDevices: 'read', pushMessages: 'read' },
  run: async ({ actor: { userId, sessionId }, deps }) => {
    const [user, devices, publicKey] = await Promise.all([
      deps.users.find(userId),
      deps.pushDevices.list(userId),
      deps.pushMessages.publicKey(),
    ])
    if (!user) throw unauthorized()
    return {
      muted: user.muted,
      devices: devices.map((device) => showDevice(device, sessionId)),
      maxDevices,
      publicKey,
    }
  },
})
