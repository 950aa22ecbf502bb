import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { PushDevices } from '../../../app/ports/notifications.ts'
import { type DeviceRecord, pushDevice } from '../../../domain/notifications/device.ts'
import type { Env } from '../../env.ts'
import { change, countInput, deleteInput, itemRange, putInput, queryAll, transact } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { attempts } from '../webhooks/attempts.ts'

const stored = pushDevice.omit({ current: true }).extend({
  failingSince: pushDevice.shape.failingSince.default(null),
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  sessionId: z.string(),
  failures: z.int(),
  restsUntilMs: z.int(),
})

const read = (item: Item): DeviceRecord => parse(stored, item)

/** Next to webhook endpoints, because deliveries to both work the same. */
export const pushDevices = (env: Env): PushDevices => {
  const table = () => env.table('webhooks')
  const at = (userId: string, id: string) => itemAt<keyof typeof stored.shape>(table(), { userId, item: id })
  const counting = (userId: string, by: 1 | -1, most?: number) =>
    countInput(table(), { userId, item: 'devices' }, by, most)
  const exists = 'attribute_exists(#item)'

  return {
    list: (userId) => queryAll(itemRange(table(), userId, 'psh_', 'psh_~'), read),

    idOf: (endpoint) => `psh_${createHash('sha256').update(endpoint).digest('base64url').slice(0, 22)}`,

    async save(userId, device, most, ...also) {
      const put = putInput(table(), 'item', { userId, item: device.id, ...device })
      const written = await transact([{ Put: put }, { Update: counting(userId, 1, most) }], ...also)
      if (written.done || !written.refused[0]) return written.done
      const { name, p256dh, auth, sessionId } = device
      const renewed = await change(
        {
          ...at(userId, device.id),
          update: `SET #name = :name, #p256dh = :p256dh, #auth = :auth, #sessionId = :session, #failures = :zero,
          #restsUntilMs = :zero REMOVE #failingSince`,
          condition: exists,
          values: { ':name': name, ':p256dh': p256dh, ':auth': auth, ':session': sessionId, ':zero': 0 },
        },
        ...also,
      )
      return renewed.done
    },

    async remove(userId, id, ...also) {
      const gone = deleteInput({ ...at(userId, id), condition: exists })
      return (await transact([{ Delete: gone }, { Update: counting(userId, -1) }], ...also)).done
    },

    ...attempts(table, read),
  }
}
