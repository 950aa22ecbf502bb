import * as z from 'zod'
import type { Grace } from '../../domain/billing/grace.ts'
import type { Graces } from '../../domain/billing/ports.ts'
import { shardOf } from '../../domain/ids.ts'
import { timestamp } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { change, get, putNew, query } from './calls.ts'
import { parse, toItem } from './item.ts'

const stored = z
  .object({
    userId: z.string(),
    subscriptionId: z.string(),
    endedAt: timestamp,
    warned: z.int(),
    dueAt: z.int(),
  })
  .transform(({ dueAt, ...rest }): Grace => ({ ...rest, dueMs: dueAt }))

const key = (userId: string) => ({ userId, item: 'grace' })

/** Partitions of the index of their own, beside those of the wallets' holds. */
const shardName = (shard: number): string => `grace-${shard}`

/** One item a user beside the wallet, while the files of an ended subscription are kept. */
export function graces(env: Env): Graces {
  const table = () => env.table('wallets')
  return {
    async find(userId) {
      const item = await get(table(), key(userId))
      return item?.dueAt ? parse(stored, item) : null
    },

    async start({ dueMs, ...grace }) {
      const due = { dueShard: shardName(shardOf(grace.userId)), dueAt: dueMs }
      const written = await putNew(table(), 'item', { ...grace, ...key(grace.userId), ...due })
      if (written.done || written.old?.dueAt) return
      // An item that was ended is used again.
      await change({
        table: table(),
        key: key(grace.userId),
        update: 'SET #subscriptionId = :id, #endedAt = :ended, #warned = :warned, #dueShard = :shard, #dueAt = :due',
        condition: 'attribute_not_exists(#dueAt)',
        values: {
          ':id': grace.subscriptionId,
          ':ended': grace.endedAt,
          ':warned': grace.warned,
          ':shard': due.dueShard,
          ':due': due.dueAt,
        },
      })
    },

    async advance(grace, warned, dueMs) {
      const written = await change({
        table: table(),
        key: key(grace.userId),
        update: 'SET #warned = :next, #dueAt = :due',
        condition: '#warned = :seen AND #dueAt = :dueSeen AND #subscriptionId = :id',
        values: {
          ':next': warned,
          ':due': dueMs,
          ':seen': grace.warned,
          ':dueSeen': grace.dueMs,
          ':id': grace.subscriptionId,
        },
      })
      return written.done
    },

    async end(userId) {
      await change({
        table: table(),
        key: key(userId),
        update: 'REMOVE #dueShard, #dueAt',
        condition: 'attribute_exists(#dueAt)',
        values: {},
      })
    },

    async due(shard, nowMs) {
      const users: string[] = []
      const due = {
        TableName: table(),
        IndexName: 'due',
        KeyConditionExpression: 'dueShard = :shard AND dueAt <= :now',
        ExpressionAttributeValues: toItem({ ':shard': shardName(shard), ':now': nowMs }),
      }
      for await (const { userId } of query(due)) if (userId?.S) users.push(userId.S)
      return users
    },
  }
}
