import type { DeviceRecord } from '../../../domain/notifications/device.ts'
import type { EndpointRecord } from '../../../domain/webhooks/endpoint.ts'
import { change } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import type { Item } from '../item.ts'

/** Records the result of each attempt to reach an address. */
export function attempts<T>(table: () => string, read: (item: Item) => T) {
  const at = (userId: string, id: string) =>
    itemAt<keyof EndpointRecord & keyof DeviceRecord>(table(), { userId, item: id })
  const condition = 'attribute_exists(#item)'
  return {
    /** Null if the record is gone. */
    async noteFailure(userId: string, id: string, failedAt: string, restsUntilMs: number): Promise<T | null> {
      const noted = await change({
        ...at(userId, id),
        update:
          'SET #failures = #failures + :one, #failingSince = if_not_exists(#failingSince, :at), #restsUntilMs = :rest',
        condition,
        values: { ':one': 1, ':at': failedAt, ':rest': restsUntilMs },
      })
      return noted.done ? read(noted.item) : null
    },

    async noteSuccess(userId: string, id: string): Promise<void> {
      await change({
        ...at(userId, id),
        update: 'SET #failures = :zero, #restsUntilMs = :zero REMOVE #failingSince',
        condition,
        values: { ':zero': 0 },
      })
    },
  }
}
