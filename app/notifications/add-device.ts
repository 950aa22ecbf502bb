import { type DeviceRecord, maxDevices, noRoomForDevice } from '../../domain/notifications/device.ts'
import type { Commit } from '../outbox/commit.ts'
import type { Sessions } from '../ports/account.ts'
import type { PushDevices } from '../ports/notifications.ts'

/** Stores a browser; browsers whose sessions have ended make room. @throws conflict without room */
export async function addDevice(
  { pushDevices, sessions }: { pushDevices: PushDevices; sessions: Sessions },
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
