import { iso } from '../../domain/time.ts'
import { isPat, isTokenId, type PatRecord, statusOf } from '../../domain/tokens/pat.ts'
import type { Tokens } from '../../domain/tokens/ports.ts'
import type { Env } from '../env.ts'
import { admit } from './admit.ts'
import { change, get, getMany, query } from './calls.ts'
import { hashedId } from './hashed-id.ts'
import { type Item, toItem } from './item.ts'
import { readToken } from './token-item.ts'
import { minting } from './token-minting.ts'
import { revoking } from './token-revoking.ts'

export function tokens(env: Env): Tokens {
  const table = () => env.table('tokens')
  const find = async (id: string): Promise<PatRecord | null> => {
    if (!isTokenId(id)) return null
    const item = await get(table(), { id })
    return item && readToken(item)
  }
  return {
    ...minting(env),
    ...revoking(env),
    find,

    /** A text without a token's checksum is refused without a call. */
    async admit(plaintext, limit, nowMs) {
      if (!isPat(plaintext)) return { admitted: false, because: 'unknown' }
      const subject = {
        table: table(),
        key: { id: hashedId('tok', plaintext) },
        alive: 'attribute_exists(#id) AND attribute_not_exists(#revokedAt) AND #expiresAt > :now',
        isAlive: (item: Item) => statusOf(readToken(item), nowMs) === 'active',
        note: '#lastUsedAt = :now',
        values: { ':now': iso(nowMs) },
        read: readToken,
      }
      return admit(subject, limit, nowMs)
    },

    identify: async (plaintext) => (isPat(plaintext) ? find(hashedId('tok', plaintext)) : null),

    async list(userId) {
      const keys: Item[] = []
      const asked = {
        TableName: table(),
        IndexName: 'byUser',
        KeyConditionExpression: 'userId = :user',
        ExpressionAttributeValues: toItem({ ':user': userId }),
      }
      for await (const { id } of query(asked)) if (id) keys.push({ id })
      const records = (await getMany(table(), keys)).map(readToken)
      return records.sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id))
    },

    async rename(userId, id, name) {
      const written = await change({
        table: table(),
        key: { id },
        update: 'SET #name = :name',
        condition: '#userId = :user',
        values: { ':user': userId, ':name': name },
      })
      return written.done ? readToken(written.item) : null
    },
  }
}
