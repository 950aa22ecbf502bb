import * as z from 'zod'
import type { Users } from '../../domain/account/ports.ts'
import { account, type UserRecord } from '../../domain/account/user.ts'
import { noSubscription, subscription } from '../../domain/billing/plans.ts'
import { iso } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { change, get, putInput, transact } from './calls.ts'
import { type Item, parse } from './item.ts'

const stored = account.extend({
  subscription,
  subscriptionAsOf: z.int(),
  subscriptionId: z.string().nullable().default(null),
  customerId: z.string().nullable().default(null),
}) satisfies z.ZodType<UserRecord>

/** Keeps an address to one user: it is written together with the user, or not at all. */
const claim = z.object({ userId: z.string() })

const claimId = (email: string): string => `email#${email}`

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
    find,

    async findOrCreate(email, newUserId, nowMs) {
      const existing = await get(table(), { id: claimId(email) })
      if (existing) return { user: await claimed(existing), created: false }
      const user: UserRecord = {
        id: newUserId,
        email,
        createdAt: iso(nowMs),
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
    async setSubscription(userId, { subscription: next, subscriptionId, asOfSeconds }) {
      const written = await change({
        table: table(),
        key: { id: userId },
        update: 'SET #subscription = :next, #subscriptionId = :id, #subscriptionAsOf = :asOf',
        condition: 'attribute_exists(#id) AND #subscriptionAsOf <= :asOf',
        values: { ':next': next, ':id': subscriptionId, ':asOf': asOfSeconds },
      })
      return written.done
    },
  }
}
