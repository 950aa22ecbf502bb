import * as z from 'zod'
import { addDevice } from '../../app/notifications/add-device.ts'
import { deviceOf } from '../../domain/account/device.ts'
import { invalid } from '../../domain/errors.ts'
import { checkPushAddress, pushDevice, showDevice, subscriptionInput } from '../../domain/notifications/device.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const addPushDevice = operation({
  id: 'addPushDevice',
  summary: 'Send push notifications to this browser',
  description:
    'Takes the subscription from the browser’s `PushManager`. A known subscription is renewed. The browser receives ' +
    'notifications until this session ends. Payloads are encrypted for the browser and contain only the kind of the ' +
    'event.',
  http: { method: 'POST', path: '/notifications/devices', status: 201 },
  auth: 'session',
  creates: true,
  commits: true,
  input: z.strictObject(subscriptionInput),
  output: z.object({ device: pushDevice }),
  errors: ['conflict'],
  uses: { pushDevices: 'write', pushMessages: 'read', sessions: 'read' },
  run: async ({ input, actor: { userId, sessionId }, deps, now, request, outboxFor }) => {
    const endpoint = checkPushAddress(input.endpoint, !deps.settings.production)
    if (!deps.pushMessages.isKey(input.p256dh)) throw invalid('p256dh', 'this is no point on the curve P-256.')
    const device = {
      id: deps.pushDevices.idOf(endpoint),
      name: deviceOf(request.headers['user-agent']),
      createdAt: iso(now),
      endpoint,
      p256dh: input.p256dh,
      auth: input.auth,
      sessionId,
      failingSince: null,
      failures: 0,
      restsUntilMs: 0,
    }
    await addDevice(deps, userId, device, now, outboxFor)
    return { device: showDevice(device, sessionId) }
  },
})
