import { QueryCommand } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { OverdueIntents } from '../../../app/ports/operator.ts'
import { shards } from '../../../domain/ids.ts'
import { intent } from '../../../domain/outbox.ts'
import type { Env } from '../../env.ts'
import { call, changed, getMany } from '../calls.ts'
import { parse, toItem } from '../item.ts'

const stored = z.object({ userId: z.string(), id: z.string(), createdMs: z.int(), dueAt: z.int(), intent })

export function overdueIntents(env: Env): OverdueIntents {
  async function keys(shard: number, limit: number) {
    const input = {
      TableName: env.table('outbox'),
      IndexName: 'due',
      KeyConditionExpression: 'dueShard = :shard',
      ExpressionAttributeValues: toItem({ ':shard': String(shard) }),
      Limit: limit,
    }
    const { Items = [] } = await call((db) => db.send(new QueryCommand(input)))
    return Items.flatMap(({ userId, id }) => (userId && id ? [{ userId, id }] : []))
  }
  return {
    async before(createdMs, perShard) {
      const found = await Promise.all(Array.from({ length: shards }, (_, shard) => keys(shard, perShard)))
      const items = (await getMany(env.table('outbox'), found.flat())).map((item) => parse(stored, item))
      return items
        .filter((item) => item.createdMs < createdMs)
        .map(({ userId, id, dueAt, intent: { kind }, ...item }) => ({
          userId,
          id,
          kind,
          createdMs: item.createdMs,
          nextMs: dueAt,
        }))
    },

    retry: (userId, id, nowMs, ...also) =>
      changed(
        {
          table: env.table('outbox'),
          key: { userId, id },
          update: 'SET #dueAt = :now',
          condition: 'attribute_exists(#id)',
          values: { ':now': nowMs },
        },
        ...also,
      ),
  }
}
