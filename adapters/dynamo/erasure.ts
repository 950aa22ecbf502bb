import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import type { Erasure } from '../../domain/account/ports.ts'
import { personalTables, type TableName, type TableShape, tables } from '../../domain/resources.ts'
import type { Env } from '../env.ts'
import { call, query } from './calls.ts'
import { type Item, toItem } from './item.ts'

/** Items deleted at once. */
const atOnce = 16

export const erasure = (env: Env): Erasure => ({
  async wipe(userId) {
    for (const name of personalTables) {
      let some: Promise<unknown>[] = []
      for await (const key of keysOf(env, name, userId)) {
        some.push(call((db) => db.send(new DeleteItemCommand({ TableName: env.table(name), Key: key }))))
        if (some.length < atOnce) continue
        await Promise.all(some)
        some = []
      }
      await Promise.all(some)
    }
  },
})

/** Keys of everything a table has of a user: by its own key where that is the user, else by its index. */
async function* keysOf(env: Env, name: TableName, userId: string): AsyncGenerator<Item> {
  const { partition, sort }: TableShape = tables[name]
  const asked = {
    TableName: env.table(name),
    ...(partition !== 'userId' && { IndexName: 'byUser' }),
    KeyConditionExpression: 'userId = :user',
    ExpressionAttributeValues: toItem({ ':user': userId }),
    ProjectionExpression: sort ? '#partition, #sort' : '#partition',
    ExpressionAttributeNames: { '#partition': partition, ...(sort && { '#sort': sort }) },
  }
  for await (const item of query(asked)) {
    const names = sort ? [partition, sort] : [partition]
    yield Object.fromEntries(names.flatMap((key) => (item[key] ? [[key, item[key]]] : [])))
  }
}
