import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { pushDevice, showDevice } from '../../domain/notifications/device.ts'
import { operation } from '../kit/operation.ts'

export const removePushDevice = operation({
  id: 'removePushDevice',
  summary: 'Stop push notifications to this browser',
  http: { method: 'DELETE', path: '/notifications/devices/{id}' },
  auth: 'session',
  input: z.strictObject({ id: z.string().max(100) }),
  output: z.object({ device: pushDevice }),
  errors: ['not-found'],
  commits: true,
  uses: { pushDevices: 'write' },
  run: async ({ input: { id }, actor: { userId, sessionId }, deps, outboxFor }) => {
    const device = (await deps.pushDevices.list(userId)).find((device) => device.id === id)
    if (!device) throw notFound('browser')
    await deps.pushDevices.remove(userId, id, outboxFor(id))
    return { device: showDevice(device, sessionId) }
  },
})
