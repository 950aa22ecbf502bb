import * as z from 'zod'
import type { Users } from '../../domain/account/ports.ts'
import { account, type UserRecord } from '../../domain/account/user.ts'
import { noSubscription, subscription } from '../../domain/billing/plans.ts'
import { iso, timestamp } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { change, get, putInput, transact } from './calls.ts'
import { type Item, parse } from './item.ts'
import { claimId, userChanges } from './user-changes.ts'

const stored = account.extend({
  eraseAt: timestamp.nullable().default(null),
  subscription,
  subscriptionAsOf: z.int(),
  subscriptionId: z.string().nullable().default(null),
  customerId: z.string().nullable().default(null),
}) satisfies z.ZodType<UserRecord>

const claim = z.object({ userId: z.string() })

export function users(env: Env): Users {
  const table = () => env.table('users')
  const find = async (userId: string): Promise<UserRecord | null> => {
    const item = await get(table(), { id: userId })
    return item && parse(stored, item)
  }
  const claimed = async (item: Item): Promise<UserRecord> => {
    const user = await find(parse(claim, item).userId)
    if (!user) throw new Error('an address is claimed by a user who does not exist')
    return user
  }
  return {
    ...userChanges(env),
    find,

    async findOrCreate(email, newUserId, nowMs) {
      const existing = await get(table(), { id: claimId(email) })
      if (existing) return { user: await claimed(existing), created: false }
      const user: UserRecord = {
        id: newUserId,
        email,
        createdAt: iso(nowMs),
        eraseAt: null,
        subscription: noSubscription,
        subscriptionAsOf: 0,
        subscriptionId: null,
        customerId: null,
      }
      const written = await transact([
        { Put: putInput(table(), 'id', { id: claimId(email), userId: newUserId }) },
        { Put: putInput(table(), 'id', user) },
      ])
      if (written.done) return { user, created: true }
      const [winner] = written.refused
      if (!winner) throw new Error('a new user id is taken already')
      const winning = await claimed(winner)
      return { user: winning, created: winning.id === newUserId }
    },

    async setCustomer(userId, customerId) {
      await change({
        table: table(),
        key: { id: userId },
        update: 'SET #customerId = :customer',
        condition: 'attribute_exists(#id)',
        values: { ':customer': customerId },
      })
    },

    /** Also false for a user who does not exist: there is nothing to apply the event to. */
    async setSubscription(userId, { subscription: next, subscriptionId, asOfSeconds, replaces }) {
      const written = await change({
        table: table(),
        key: { id: userId },
        update: 'SET #subscription = :next, #subscriptionId = :id, #subscriptionAsOf = :asOf',
        ...heldBy(replaces, subscriptionId, next.status === 'canceled', {
          ':next': next,
          ':id': subscriptionId,
          ':asOf': asOfSeconds,
        }),
      })
      return written.done
    },
  }
}

/** The condition on the subscription that is there: this one, or the one it replaces. An end is believed at any time. */
function heldBy(replaces: string | null, id: string, over: boolean, values: Record<`:${string}`, unknown>) {
  if (replaces === null) return { condition: 'attribute_exists(#id) AND attribute_not_exists(#subscriptionId)', values }
  if (replaces !== id) return { condition: '#subscriptionId = :replaces', values: { ...values, ':replaces': replaces } }
  if (over) return { condition: '#subscriptionId = :id', values }
  const condition = '#subscriptionId = :id AND #subscriptionAsOf <= :asOf AND #subscription.#status <> :canceled'
  return { condition, values: { ...values, ':canceled': 'canceled' } }
}
