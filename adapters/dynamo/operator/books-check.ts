import { QueryCommand } from '@aws-sdk/client-dynamodb'
import type { BooksCheck } from '../../../app/ports/operator.ts'
import { booksRecord } from '../../../domain/operator/books.ts'
import type { Env } from '../../env.ts'
import { call, changed, get, ifStill } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse, toItem } from '../item.ts'

const key = { list: 'books', id: 'last' }

export const booksCheck = (env: Env): BooksCheck => ({
  async last() {
    const item = await get(env.table('console'), key)
    return item && parse(booksRecord, item)
  },

  save({ revision: _, ...next }, revision, ...also) {
    const at = itemAt<keyof typeof booksRecord.shape>(env.table('console'), key)
    return changed({ ...at, ...ifStill('revision', revision, next) }, ...also)
  },

  async owners(shard, after, limit) {
    const input = {
      TableName: env.table('users'),
      IndexName: 'byShard',
      KeyConditionExpression: `#shard = :shard${after === null ? '' : ' AND id > :after'}`,
      ExpressionAttributeNames: { '#shard': 'shard' },
      ExpressionAttributeValues: toItem({ ':shard': String(shard), ':after': after }),
      Limit: limit,
    }
    const { Items = [] } = await call((db) => db.send(new QueryCommand(input)))
    return Items.flatMap(({ id }) => id?.S ?? [])
  },
})
