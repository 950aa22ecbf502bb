import { QueryCommand } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { Fleet } from '../../../app/ports/operator.ts'
import { shards } from '../../../domain/ids.ts'
import type { Env } from '../../env.ts'
import { call, getMany } from '../calls.ts'
import { failedShard, readInstance } from '../instance/item.ts'
import { parse, toItem } from '../item.ts'

const dueKey = z.object({ userId: z.string(), dueAt: z.int() })

export function fleet(env: Env): Fleet {
  /** Reads one item more than `limit`. */
  async function page(shard: string, limit: number, newestFirst: boolean) {
    const input = {
      TableName: env.table('instances'),
      IndexName: 'due',
      KeyConditionExpression: 'dueShard = :shard',
      ExpressionAttributeValues: toItem({ ':shard': shard }),
      ScanIndexForward: !newestFirst,
      Limit: limit + 1,
    }
    const { Items = [] } = await call((db) => db.send(new QueryCommand(input)))
    return Items.map((item) => parse(dueKey, item))
  }
  /** Strongly consistent, in the order of the keys. */
  async function read(keys: z.infer<typeof dueKey>[]) {
    const found = await getMany(
      env.table('instances'),
      keys.map(({ userId }) => toItem({ userId })),
    )
    const byUser = new Map(found.map(readInstance).map((record) => [record.userId, record]))
    return keys.flatMap(({ userId, dueAt }) => {
      const record = byUser.get(userId)
      return record ? [{ record, dueAt }] : []
    })
  }
  return {
    async awake(perShard) {
      const pages = await Promise.all(
        Array.from({ length: shards }, (_, shard) => page(String(shard), perShard, false)),
      )
      const instances = await read(pages.flatMap((keys) => keys.slice(0, perShard)))
      return {
        instances: instances.map(({ record, dueAt }) => ({ record, dueMs: dueAt })),
        more: pages.some((keys) => keys.length > perShard),
      }
    },

    async failed(most) {
      const keys = await page(failedShard, most, true)
      const instances = await read(keys.slice(0, most))
      return {
        // The index may still list an instance that was just resumed.
        instances: instances
          .filter(({ record }) => record.state === 'failed')
          .map(({ record, dueAt }) => ({ record, sinceMs: dueAt })),
        more: keys.length > most,
      }
    },
  }
}
