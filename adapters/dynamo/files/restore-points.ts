import * as z from 'zod'
import type { RestorePoints } from '../../../app/files/ports.ts'
import { restorePoint, type StoredPoint } from '../../../domain/files/restore-point.ts'
import { idPattern } from '../../../domain/ids.ts'
import type { Env } from '../../env.ts'
import { changed, get, putNew, queryAll, remove, setting } from '../calls.ts'
import { type Item, parse, toItem } from '../item.ts'

const stored = restorePoint.extend({
  instanceId: z.string(),
  taskId: z.string(),
  completedAt: restorePoint.shape.completedAt.default(null),
  summary: restorePoint.shape.summary.default(null),
  newBytes: restorePoint.shape.newBytes.default(null),
  failure: restorePoint.shape.failure.default(null),
})

const read = (item: Item): StoredPoint => parse(stored, item)

export function restorePoints(env: Env): RestorePoints {
  const table = () => env.table('points')
  const known = (id: string) => idPattern('rsp').test(id)
  return {
    async add(userId, point) {
      await putNew(table(), 'id', { userId, ...point })
    },

    async finish(userId, id, { state, completedAt, summary, newBytes, failure }) {
      if (!known(id)) return false
      const outcome = Object.entries({ state, completedAt, summary, newBytes, failure })
      const { update, values } = setting(Object.fromEntries(outcome.filter(([, value]) => value !== null)))
      return changed({
        table: table(),
        key: { userId, id },
        update,
        condition: '#state = :making',
        values: { ...values, ':making': 'making' },
      })
    },

    async find(userId, id) {
      const item = known(id) ? await get(table(), { userId, id }) : null
      return item && read(item)
    },

    list(userId) {
      const asked = {
        TableName: table(),
        KeyConditionExpression: 'userId = :user',
        ExpressionAttributeValues: toItem({ ':user': userId }),
        ConsistentRead: true,
        ScanIndexForward: false,
      }
      return queryAll(asked, read)
    },

    async remove(userId, id) {
      if (known(id)) await remove(table(), { userId, id })
    },
  }
}
