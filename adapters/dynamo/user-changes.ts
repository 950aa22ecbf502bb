import type { Users } from '../../domain/account/ports.ts'
import { shardOf } from '../../domain/ids.ts'
import { iso } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { change, changeInput, putInput, query, transact } from './calls.ts'
import { toItem } from './item.ts'

/** Keeps an address to one user: it is written together with the user, or not at all. */
export const claimId = (email: string): string => `email#${email}`

type Changes = Pick<Users, 'changeEmail' | 'markErasure' | 'keep' | 'erasable' | 'lookAgain' | 'anonymise' | 'forget'>

/** What becomes of an account after it was made: another address, or its end. */
export function userChanges(env: Env): Changes {
  const table = () => env.table('users')

  const release = (email: string, userId: string) => ({
    Delete: {
      TableName: table(),
      Key: toItem({ id: claimId(email) }),
      ConditionExpression: 'attribute_not_exists(id) OR userId = :user',
      ExpressionAttributeValues: toItem({ ':user': userId }),
    },
  })

  return {
    async changeEmail(userId, from, to) {
      const update = changeInput({
        table: table(),
        key: { id: userId },
        update: 'SET #email = :to',
        condition: '#email = :from',
        values: { ':from': from, ':to': to },
      })
      const claimed = { Put: putInput(table(), 'id', { id: claimId(to), userId }) }
      const written = await transact([claimed, { Update: update }, release(from, userId)])
      // An attempt whose answer was lost has left this very claim, and the user under the new address.
      return written.done || (written.refused[0]?.userId?.S === userId && written.refused[1]?.email?.S === to)
    },

    async markErasure(userId, eraseAt, lookAtMs) {
      const written = await change({
        table: table(),
        key: { id: userId },
        update: 'SET #eraseAt = :at, #dueShard = :shard, #dueAt = :look',
        condition:
          'attribute_exists(#id) AND attribute_not_exists(#erasedAt) AND (attribute_not_exists(#eraseAt) OR #eraseAt = :at)',
        values: { ':at': eraseAt, ':shard': String(shardOf(userId)), ':look': lookAtMs },
      })
      return written.done
    },

    async keep(userId) {
      const written = await change({
        table: table(),
        key: { id: userId },
        update: 'REMOVE #eraseAt, #dueShard, #dueAt',
        condition: 'attribute_exists(#eraseAt) AND attribute_not_exists(#erasedAt)',
        values: {},
      })
      return written.done
    },

    async erasable(shard, nowMs) {
      const due = {
        TableName: table(),
        IndexName: 'due',
        KeyConditionExpression: 'dueShard = :shard AND dueAt <= :now',
        ExpressionAttributeValues: toItem({ ':shard': String(shard), ':now': nowMs }),
      }
      const found: string[] = []
      for await (const { id } of query(due)) if (id?.S) found.push(id.S)
      return found
    },

    async lookAgain(userId, atMs) {
      await change({
        table: table(),
        key: { id: userId },
        update: 'SET #dueAt = :at',
        condition: 'attribute_exists(#dueShard)',
        values: { ':at': atMs },
      })
    },

    /** The address is free for a new account in the same write; what is left carries ids alone. */
    async anonymise(userId, nowMs) {
      const nobody = `${userId.toLowerCase()}@erased.invalid`
      const start = await change({
        table: table(),
        key: { id: userId },
        update: 'SET #erasedAt = if_not_exists(#erasedAt, :now)',
        condition: '#eraseAt <= :now',
        values: { ':now': iso(nowMs) },
      })
      const email = start.done ? start.item.email?.S : undefined
      if (!email) return false
      if (email === nobody) return true
      const update = changeInput({
        table: table(),
        key: { id: userId },
        update: 'SET #email = :nobody REMOVE #customerId',
        condition: 'attribute_exists(#erasedAt)',
        values: { ':nobody': nobody },
      })
      return (await transact([{ Update: update }, release(email, userId)])).done
    },

    async forget(userId) {
      await change({
        table: table(),
        key: { id: userId },
        update: 'REMOVE #dueShard, #dueAt',
        condition: 'attribute_exists(#erasedAt)',
        values: {},
      })
    },
  }
}
