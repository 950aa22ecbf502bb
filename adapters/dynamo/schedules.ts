import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { idPattern } from '../../domain/ids.ts'
import type { Schedules } from '../../domain/instance/ports.ts'
import { type Schedule, storedSchedule } from '../../domain/instance/schedules.ts'
import type { Env } from '../env.ts'
import { call, change, get, putNew, query } from './calls.ts'
import { type Item, parse, toItem } from './item.ts'

const stored = storedSchedule.extend({ lastRun: storedSchedule.shape.lastRun.default(null) })
const read = (item: Item): Schedule => parse(stored, { ...item, id: item.item ?? { S: '' } })
const isScheduleId = (id: string): boolean => idPattern('sch').test(id)

export const schedules = (env: Env): Schedules => {
  const table = () => env.table('settings')
  return {
    async list(userId) {
      const all = {
        TableName: table(),
        KeyConditionExpression: 'userId = :user AND begins_with(#item, :schedules)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: toItem({ ':user': userId, ':schedules': 'sch_' }),
        ConsistentRead: true,
      }
      const found: Schedule[] = []
      for await (const item of query(all)) found.push(read(item))
      return found
    },

    async find(userId, id) {
      const item = isScheduleId(id) ? await get(table(), { userId, item: id }) : null
      return item && read(item)
    },

    add: async (userId, { id, ...rest }) => (await putNew(table(), 'item', { userId, item: id, ...rest })).done,

    async remove(userId, id) {
      if (isScheduleId(id)) {
        const gone = { TableName: table(), Key: toItem({ userId, item: id }) }
        await call((db) => db.send(new DeleteItemCommand(gone)))
      }
    },

    async ran(userId, id, lastRun) {
      if (!isScheduleId(id)) return
      await change({
        table: table(),
        key: { userId, item: id },
        update: 'SET #lastRun = :lastRun',
        condition: 'attribute_exists(#item)',
        values: { ':lastRun': lastRun },
      })
    },
  }
}
