import type { Erasure } from '../../../app/ports/account.ts'
import type { Env } from '../../env.ts'
import { query, remove } from '../calls.ts'
import { toItem } from '../item.ts'
import { personalTables, type TableName, type TableShape, tables } from '../tables.ts'
import { placesId } from '../tokens/places.ts'

const atOnce = 16

export const erasure = (env: Env): Erasure => ({
  async deletePersonalData(userId) {
    for (const name of personalTables) {
      let deleting: Promise<unknown>[] = []
      for await (const key of keysOf(env, name, userId)) {
        deleting.push(remove(env.table(name), key))
        if (deleting.length < atOnce) continue
        await Promise.all(deleting)
        deleting = []
      }
      await Promise.all(deleting)
    }
    // A separate delete: the index of tokens by user contains only tokens.
    await remove(env.table('tokens'), { id: placesId(userId) })
  },
})

/** Keys of all of a user's items in a table: by the table's key if it is the user, otherwise by its index. */
async function* keysOf(env: Env, name: TableName, userId: string): AsyncGenerator<Record<string, string>> {
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
    yield Object.fromEntries(names.map((name) => [name, item[name]?.S ?? '']))
  }
}
