import * as z from 'zod'
import type { RestorePoints } from '../../../app/ports/files.ts'
import { restorePoint, type StoredPoint } from '../../../domain/files/restore-point.ts'
import { idPattern } from '../../../domain/ids.ts'
import type { Env } from '../../env.ts'
import { changed, changeInput, get, putInput, queryAll, removed, setting, transact } from '../calls.ts'
import { itemAt } from '../expressions.ts'
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
  const find = async (userId: string, id: string) => {
    const item = known(id) ? await get(table(), { userId, id }) : null
    return item && read(item)
  }
  return {
    async add(userId, point, ...also) {
      const key = { userId, id: 'latest' }
      const seen = (await get(table(), key))?.pointId?.S
      if (seen !== undefined && (await find(userId, seen))?.state === 'making') return false
      const latest = changeInput({
        ...itemAt<'pointId'>(table(), key),
        update: 'SET #pointId = :id',
        condition: seen === undefined ? 'attribute_not_exists(#pointId)' : '#pointId = :seen',
        values: { ':id': point.id, ...(seen !== undefined && { ':seen': seen }) },
      })
      const made = [{ Put: putInput(table(), 'id', { userId, ...point }) }, { Update: latest }]
      return (await transact(made, ...also)).done
    },

    async finish(userId, id, { state, completedAt, summary, newBytes, failure }) {
      if (!known(id)) return false
      const outcome = Object.entries({ state, completedAt, summary, newBytes, failure })
      const { update, values } = setting(Object.fromEntries(outcome.filter(([, value]) => value !== null)))
      return changed({
        ...itemAt<keyof StoredPoint>(table(), { userId, id }),
        update,
        condition: '#state = :making',
        values: { ...values, ':making': 'making' },
      })
    },

    find,

    list(userId) {
      const asked = {
        TableName: table(),
        KeyConditionExpression: 'userId = :user AND id BETWEEN :from AND :to',
        ExpressionAttributeValues: toItem({ ':user': userId, ':from': 'rsp_', ':to': 'rsp_~' }),
        ConsistentRead: true,
        ScanIndexForward: false,
      }
      return queryAll(asked, read)
    },

    remove: async (userId, id, ...also) =>
      known(id) && (await removed({ ...itemAt(table(), { userId, id }), condition: 'attribute_exists(#id)' }, ...also)),
  }
}
