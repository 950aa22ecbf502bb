import * as z from 'zod'
import type { GracePeriods } from '../../../app/ports/billing.ts'
import type { GracePeriod } from '../../../domain/billing/grace-period.ts'
import { shardOf } from '../../../domain/ids.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import type { Env } from '../../env.ts'
import { change, changed, changeInput, dueItems, get, setting } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'
import { partOf } from '../part.ts'

const stored = z
  .object({
    userId: z.string(),
    subscriptionId: z.string(),
    endedAt: timestamp,
    warned: z.int(),
    dueAt: z.int(),
  })
  .transform(({ dueAt, ...rest }): GracePeriod => ({ ...rest, dueMs: dueAt }))

export const graceAt = (table: string, userId: string) =>
  itemAt<keyof z.input<typeof stored>>(table, { userId, item: 'grace' })

/** Separate partitions of the index that the wallets' holds use. */
export const dueInShard = (shard: number): string => `grace-${shard}`

/** One item per user while the files of an ended subscription are kept. */
export function gracePeriods(env: Env): GracePeriods {
  const table = env.table('wallets')
  const at = (userId: string) => graceAt(table, userId)
  const asSeen = {
    condition: '#warned = :seen AND #dueAt = :dueSeen AND #subscriptionId = :id',
    values: ({ warned, dueMs, subscriptionId }: GracePeriod) => ({
      ':seen': warned,
      ':dueSeen': dueMs,
      ':id': subscriptionId,
    }),
  } as const
  return {
    async find(userId) {
      const item = await get(table, at(userId).key)
      return item?.dueAt ? parse(stored, item) : null
    },

    async start({ userId, dueMs, ...grace }) {
      const begun = setting({ ...grace, dueShard: dueInShard(shardOf(userId)), dueAt: dueMs })
      await change({ ...at(userId), ...begun, condition: 'attribute_not_exists(#dueAt)' })
    },

    advance: (grace, warned, dueMs) =>
      changed({
        ...at(grace.userId),
        update: 'SET #warned = :next, #dueAt = :due',
        condition: asSeen.condition,
        values: { ':next': warned, ':due': dueMs, ...asSeen.values(grace) },
      }),

    end: (userId, ...also) =>
      changed({ ...at(userId), update: 'REMOVE #dueShard, #dueAt', condition: 'attribute_exists(#dueAt)' }, ...also),

    endOf: (grace) =>
      partOf([
        {
          Update: changeInput({
            ...at(grace.userId),
            update: 'REMOVE #dueShard, #dueAt',
            condition: asSeen.condition,
            values: asSeen.values(grace),
          }),
        },
      ]),

    async due(shard, nowMs) {
      return (await dueItems(table, dueInShard(shard), nowMs)).flatMap(({ userId }) => userId?.S ?? [])
    },
  }
}
