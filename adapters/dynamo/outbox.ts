import * as z from 'zod'
import type { Intents } from '../../app/ports/outbox.ts'
import { shardOf } from '../../domain/ids.ts'
import { intent, type StoredIntent } from '../../domain/outbox.ts'
import { dayMs, minuteMs } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { linePut } from './account/audit.ts'
import { change, dueItems, put, remove } from './calls.ts'
import { itemAt } from './expressions.ts'
import { parse, toItem } from './item.ts'

/** Time for the writing function to execute an intent itself, before the sweep does. */
const ownTimeMs = minuteMs

/** Older intents are dropped; the sweep has reported their failures until then. */
const keptMs = 7 * dayMs

const stored = z.object({
  userId: z.string(),
  id: z.string(),
  createdMs: z.int(),
  intent,
}) satisfies z.ZodType<StoredIntent>

const dueKey = z.object({ userId: z.string(), id: z.string(), dueAt: z.int() })

export function outbox(env: Env): Intents {
  const table = () => env.table('outbox')
  // A retry after a lost answer finds this very item.
  const itemOf = (intent: StoredIntent) => {
    const due = { dueShard: String(shardOf(intent.userId)), dueAt: intent.createdMs + ownTimeMs }
    const ttl = Math.ceil((intent.createdMs + keptMs) / 1000)
    return toItem({ ...intent, ...due, ttl })
  }
  return {
    items: ({ lines = [], intents = [] }) => [
      ...lines.map((line) => ({ write: { Put: linePut(env, line) } })),
      ...intents.map((intent) => ({ write: { Put: { TableName: table(), Item: itemOf(intent) } } })),
    ],

    async add(intents) {
      await Promise.all(intents.map((intent) => put(table(), itemOf(intent))))
    },

    due: async (shard, nowMs) =>
      (await dueItems(table(), shard, nowMs)).map((item) => {
        const { dueAt, ...key } = parse(dueKey, item)
        return { ...key, dueMs: dueAt }
      }),

    async claim({ dueMs, ...key }, untilMs) {
      const claimed = await change({
        ...itemAt(table(), key),
        update: 'SET #dueAt = :until',
        condition: '#dueAt = :seen',
        values: { ':until': untilMs, ':seen': dueMs },
      })
      return claimed.done ? parse(stored, claimed.item) : null
    },

    async remove(one) {
      await remove(table(), { userId: one.userId, id: one.id })
    },
  }
}
