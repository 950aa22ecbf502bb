import { type DeviceRecord, maxDevices, noRoomForDevice } from '../../domain/notifications/device.ts'
import type { Commit } from '../outbox/commit.ts'
import type { Ports } from '../ports.ts'

/** Stores a browser; browsers whose sessions have ended make room. @throws conflict without room */
export async function addDevice(
  { pushDevices, sessions }: Pick<Ports, 'pushDevices' | 'sessions'>,
  userId: string,
  device: DeviceRecord,
  nowMs: number,
  commit: Commit,
): Promise<void> {
  const save = () => commit(device.id, () => pushDevices.save(userId, device, maxDevices))
  if (await save()) return
  const [devices, open] = await Promise.all([pushDevices.list(userId), sessions.list(userId, nowMs)])
  const ended = devices.filter(({ sessionId }) => open.every(({ id }) => id !== sessionId))
  await Promise.all(ended.map(({ id }) => pushDevices.remove(userId, id)))
  if (ended.length === 0 || !(await save())) throw noRoomForDevice()
}
