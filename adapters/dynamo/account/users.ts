import * as z from 'zod'
import type { Users } from '../../../app/ports/account.ts'
import { noReturnedMails, returnedMails } from '../../../domain/account/returned-mail.ts'
import { acceptedTerms, newlyAccepted } from '../../../domain/account/terms.ts'
import { account, type UserRecord } from '../../../domain/account/user.ts'
import { noSubscription, subscription } from '../../../domain/billing/subscription.ts'
import { shardOf } from '../../../domain/ids.ts'
import { muting } from '../../../domain/notifications/notification.ts'
import { listedPlanOf } from '../../../domain/operator/listed-user.ts'
import { iso } from '../../../domain/time.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { trial } from '../../../domain/trial/trial.ts'
import type { Env } from '../../env.ts'
import { change, changed, changeInput, deleteInput, dueItems, get, putInput, setting, transact } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'

const stored = account.extend({
  eraseAt: timestamp.nullable().default(null),
  subscription,
  subscriptionAsOf: z.int(),
  subscriptionId: z.string().nullable().default(null),
  customerId: z.string().nullable().default(null),
  trial: trial.nullable().default(null),
  terms: acceptedTerms.nullable().default(null),
  returned: returnedMails.default(noReturnedMails),
  muted: z.array(muting).default([]),
}) satisfies z.ZodType<UserRecord>

/** Keeps an address unique: this item is written in one transaction with the user. */
const claimId = (email: string): string => `email#${email}`

const claim = z.object({ userId: z.string() })

export function users(env: Env): Users {
  const table = () => env.table('users')
  return { ...accounts(table), ...settings(table), ...erasures(table) }
}

export const userAt = (table: string, id: string) =>
  itemAt<keyof typeof stored.shape | 'status' | 'erasedAt'>(table, { id })

export const readUser = (item: Item): UserRecord => parse(stored, item)

async function find(table: string, userId: string): Promise<UserRecord | null> {
  const item = await get(table, { id: userId })
  return item && readUser(item)
}

async function claimed(table: string, item: Item): Promise<UserRecord> {
  const user = await find(table, parse(claim, item).userId)
  if (!user) throw new Error('an address is claimed by a user who does not exist')
  return user
}

const release = (table: string, email: string, userId: string) => ({
  Delete: deleteInput({
    ...userAt(table, claimId(email)),
    condition: 'attribute_not_exists(#id) OR #userId = :user',
    values: { ':user': userId },
  }),
})

const accounts = (table: () => string): Pick<Users, 'find' | 'findByEmail' | 'findOrCreate' | 'changeEmail'> => ({
  find: (userId) => find(table(), userId),

  async findByEmail(email) {
    const item = await get(table(), { id: claimId(email) })
    return item && claimed(table(), item)
  },

  async findOrCreate(email, newUserId, nowMs, shown) {
    const existing = await get(table(), { id: claimId(email) })
    if (existing) return { user: await claimed(table(), existing), created: false }
    const user: UserRecord = {
      id: newUserId,
      email,
      createdAt: iso(nowMs),
      eraseAt: null,
      subscription: noSubscription,
      subscriptionAsOf: 0,
      subscriptionId: null,
      customerId: null,
      trial: null,
      terms: newlyAccepted(null, shown, iso(nowMs)),
      returned: noReturnedMails,
      muted: [],
    }
    const written = await transact([
      { Put: putInput(table(), 'id', { id: claimId(email), userId: newUserId }) },
      { Put: putInput(table(), 'id', { ...user, shard: String(shardOf(newUserId)), listed: listedPlanOf(user) }) },
    ])
    if (written.done) return { user, created: true }
    const [winner] = written.refused
    if (!winner) throw new Error('a new user id is taken already')
    const winning = await claimed(table(), winner)
    return { user: winning, created: winning.id === newUserId }
  },

  async changeEmail(userId, from, to, ...also) {
    const update = changeInput({
      ...userAt(table(), userId),
      update: 'SET #email = :to REMOVE #returned',
      condition: '#email = :from',
      values: { ':from': from, ':to': to },
    })
    const claimed = { Put: putInput(table(), 'id', { id: claimId(to), userId }) }
    const written = await transact([claimed, { Update: update }, release(table(), from, userId)], ...also)
    // A retry after a lost answer finds its own claim, and the user with the new address.
    return written.done || (written.refused[0]?.userId?.S === userId && written.refused[1]?.email?.S === to)
  },
})

type Settings = Pick<Users, 'acceptTerms' | 'setReturned' | 'setCustomer' | 'setMuted' | 'setSubscription'>

const settings = (table: () => string): Settings => ({
  async acceptTerms(userId, terms) {
    await change({ ...userAt(table(), userId), ...setting({ terms }), condition: 'attribute_exists(#id)' })
  },

  setReturned: (userId, returned, ...also) =>
    changed({ ...userAt(table(), userId), ...setting({ returned }), condition: 'attribute_exists(#id)' }, ...also),

  async setCustomer(userId, customerId) {
    await change({ ...userAt(table(), userId), ...setting({ customerId }), condition: 'attribute_exists(#id)' })
  },

  setMuted: (userId, muted, before, ...also) =>
    changed(
      {
        ...userAt(table(), userId),
        update: 'SET #muted = :muted',
        condition:
          before.length > 0
            ? '#muted = :before'
            : 'attribute_exists(#id) AND (attribute_not_exists(#muted) OR #muted = :before)',
        values: { ':muted': muted, ':before': before },
      },
      ...also,
    ),

  /** Also false for a user who does not exist. */
  setSubscription: (userId, { subscription: next, subscriptionId, asOfSeconds, replaces }) =>
    changed({
      ...userAt(table(), userId),
      update: 'SET #subscription = :next, #subscriptionId = :id, #subscriptionAsOf = :asOf, #listed = :listed',
      ...heldBy(replaces, subscriptionId, next.status === 'canceled', {
        ':next': next,
        ':id': subscriptionId,
        ':asOf': asOfSeconds,
        ':listed': listedPlanOf({ subscription: next, subscriptionId, trial: null }),
      }),
    }),
})

/** The stored subscription must be this one or the one it replaces. The end of one is always accepted. */
function heldBy(replaces: string | null, id: string, over: boolean, values: Record<`:${string}`, unknown>) {
  if (replaces === null)
    return { condition: 'attribute_exists(#id) AND attribute_not_exists(#subscriptionId)', values } as const
  if (replaces !== id)
    return { condition: '#subscriptionId = :replaces', values: { ...values, ':replaces': replaces } } as const
  if (over) return { condition: '#subscriptionId = :id', values } as const
  const condition = '#subscriptionId = :id AND #subscriptionAsOf <= :asOf AND #subscription.#status <> :canceled'
  return { condition, values: { ...values, ':canceled': 'canceled' } } as const
}

type Erasures = Pick<
  Users,
  'scheduleErasure' | 'cancelErasure' | 'dueForErasure' | 'postponeErasure' | 'anonymise' | 'completeErasure'
>

const erasures = (table: () => string): Erasures => ({
  scheduleErasure: (userId, eraseAt, checkAtMs, ...also) =>
    changed(
      {
        ...userAt(table(), userId),
        update: 'SET #eraseAt = :at, #dueShard = :shard, #dueAt = :check',
        condition:
          'attribute_exists(#id) AND attribute_not_exists(#erasedAt) AND (attribute_not_exists(#eraseAt) OR #eraseAt = :at)',
        values: { ':at': eraseAt, ':shard': String(shardOf(userId)), ':check': checkAtMs },
      },
      ...also,
    ),

  cancelErasure: (userId, ...also) =>
    changed(
      {
        ...userAt(table(), userId),
        update: 'REMOVE #eraseAt, #dueShard, #dueAt',
        condition: 'attribute_exists(#eraseAt) AND attribute_not_exists(#erasedAt)',
      },
      ...also,
    ),

  dueForErasure: async (shard, nowMs) => (await dueItems(table(), shard, nowMs)).flatMap(({ id }) => id?.S ?? []),

  async postponeErasure(userId, atMs) {
    await change({
      ...userAt(table(), userId),
      update: 'SET #dueAt = :at',
      condition: 'attribute_exists(#dueShard)',
      values: { ':at': atMs },
    })
  },

  /** The same write frees the address for a new account. The remaining record contains only ids. */
  async anonymise(userId, nowMs) {
    const nobody = `${userId.toLowerCase()}@erased.invalid`
    const start = await change({
      ...userAt(table(), userId),
      update: 'SET #erasedAt = if_not_exists(#erasedAt, :now)',
      condition: '#eraseAt <= :now',
      values: { ':now': iso(nowMs) },
    })
    const email = start.done ? start.item.email?.S : undefined
    if (!email) return false
    if (email === nobody) return true
    const update = changeInput({
      ...userAt(table(), userId),
      update: 'SET #email = :nobody REMOVE #customerId, #listed',
      condition: 'attribute_exists(#erasedAt)',
      values: { ':nobody': nobody },
    })
    return (await transact([{ Update: update }, release(table(), email, userId)])).done
  },

  completeErasure: (userId, ...also) =>
    changed(
      { ...userAt(table(), userId), update: 'REMOVE #dueShard, #dueAt', condition: 'attribute_exists(#erasedAt)' },
      ...also,
    ),
})
