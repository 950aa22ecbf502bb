import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { restorePoint, type StoredPoint } from '../../domain/files/point.ts'
import type { RestorePoints } from '../../domain/files/ports.ts'
import { idPattern } from '../../domain/ids.ts'
import type { Env } from '../env.ts'
import { call, change, get, putNew, query } from './calls.ts'
import { type Item, parse, toItem } from './item.ts'

const stored = restorePoint.extend({
  instanceId: z.string(),
  taskId: z.string(),
  completedAt: restorePoint.shape.completedAt.default(null),
  census: restorePoint.shape.census.default(null),
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

    async finish(userId, id, { state, completedAt, census, newBytes, failure }) {
      if (!known(id)) return false
      const values = { state, completedAt, census, newBytes, failure }
      const given = Object.entries(values).filter(([, value]) => value !== null)
      const written = await change({
        table: table(),
        key: { userId, id },
        update: `SET ${given.map(([name]) => `#${name} = :${name}`).join(', ')}`,
        condition: '#state = :making',
        values: { ':making': 'making', ...Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])) },
      })
      return written.done
    },

    async find(userId, id) {
      const item = known(id) ? await get(table(), { userId, id }) : null
      return item && read(item)
    },

    async list(userId) {
      const asked = {
        TableName: table(),
        KeyConditionExpression: 'userId = :user',
        ExpressionAttributeValues: toItem({ ':user': userId }),
        ConsistentRead: true,
        ScanIndexForward: false,
      }
      const found: StoredPoint[] = []
      for await (const item of query(asked)) found.push(read(item))
      return found
    },

    async remove(userId, id) {
      if (known(id))
        await call((db) => db.send(new DeleteItemCommand({ TableName: table(), Key: toItem({ userId, id }) })))
    },
  }
}
