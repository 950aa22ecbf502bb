import * as z from 'zod'
import type { GracePeriods } from '../../../app/billing/ports.ts'
import type { GracePeriod } from '../../../domain/billing/grace-period.ts'
import { shardOf } from '../../../domain/ids.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import type { Env } from '../../env.ts'
import { change, changed, dueItems, get, setting } from '../calls.ts'
import { parse } from '../item.ts'

const stored = z
  .object({
    userId: z.string(),
    subscriptionId: z.string(),
    endedAt: timestamp,
    warned: z.int(),
    dueAt: z.int(),
  })
  .transform(({ dueAt, ...rest }): GracePeriod => ({ ...rest, dueMs: dueAt }))

/** Beside the wallet. */
export const graceKey = (userId: string) => ({ userId, item: 'grace' })

/** Partitions of the index of their own, beside those of the wallets' holds. */
export const dueInShard = (shard: number): string => `grace-${shard}`

/** One item a user beside the wallet, while the files of an ended subscription are kept. */
export function gracePeriods(env: Env): GracePeriods {
  const table = env.table('wallets')
  return {
    async find(userId) {
      const item = await get(table, graceKey(userId))
      return item?.dueAt ? parse(stored, item) : null
    },

    async start({ userId, dueMs, ...grace }) {
      const begun = setting({ ...grace, dueShard: dueInShard(shardOf(userId)), dueAt: dueMs })
      await change({ table, key: graceKey(userId), ...begun, condition: 'attribute_not_exists(#dueAt)' })
    },

    advance: (grace, warned, dueMs) =>
      changed({
        table,
        key: graceKey(grace.userId),
        update: 'SET #warned = :next, #dueAt = :due',
        condition: '#warned = :seen AND #dueAt = :dueSeen AND #subscriptionId = :id',
        values: {
          ':next': warned,
          ':due': dueMs,
          ':seen': grace.warned,
          ':dueSeen': grace.dueMs,
          ':id': grace.subscriptionId,
        },
      }),

    async end(userId) {
      await change({
        table,
        key: graceKey(userId),
        update: 'REMOVE #dueShard, #dueAt',
        condition: 'attribute_exists(#dueAt)',
      })
    },

    async due(shard, nowMs) {
      return (await dueItems(table, dueInShard(shard), nowMs)).flatMap(({ userId }) => userId?.S ?? [])
    },
  }
}
