import { type DeviceRecord, maxDevices, noRoomForDevice } from '../../domain/notifications/device.ts'
import type { OutboxFor } from '../outbox/outbox.ts'
import type { Sessions } from '../ports/account.ts'
import type { PushDevices } from '../ports/notifications.ts'

/** Stores a browser; browsers whose sessions have ended make room. @throws conflict without room */
export async function addDevice(
  { pushDevices, sessions }: { pushDevices: PushDevices; sessions: Sessions },
  userId: string,
  device: DeviceRecord,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<void> {
  const save = () => pushDevices.save(userId, device, maxDevices, outboxFor(device.id))
  if (await save()) return
  const [devices, open] = await Promise.all([pushDevices.list(userId), sessions.list(userId, nowMs)])
  const ended = devices.filter(({ sessionId }) => open.every(({ id }) => id !== sessionId))
  await Promise.all(ended.map(({ id }) => pushDevices.remove(userId, id)))
  if (ended.length === 0 || !(await save())) throw noRoomForDevice()
}
