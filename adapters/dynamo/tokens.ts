import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { dayMs, iso } from '../../domain/time.ts'
import { formatPat, isPat, type PatRecord, pat, prefixLength, statusOf } from '../../domain/tokens/pat.ts'
import type { Tokens } from '../../domain/tokens/ports.ts'
import type { Env } from '../env.ts'
import { admit } from './admit.ts'
import { change, get, getMany, putNew, query } from './calls.ts'
import { hashedId } from './hashed-id.ts'
import { type Item, parse, toItem } from './item.ts'

/** A dead token stays listed for this long, then vanishes. */
const keptMs = 30 * dayMs

const stored = pat.omit({ status: true }).extend({
  lastUsedAt: pat.shape.lastUsedAt.default(null),
  revokedAt: pat.shape.revokedAt.default(null),
  userId: z.string(),
  mintedBy: z.string().optional(),
}) satisfies z.ZodType<PatRecord>

const isTokenId = (id: string): boolean => /^tok_[0-9A-Za-z]{22}$/.test(id)

const read = (item: Item): PatRecord => parse(stored, item)

export function tokens(env: Env): Tokens {
  const table = () => env.table('tokens')
  return {
    /** A text without a token's checksum is refused without a call. */
    async admit(plaintext, limit, nowMs) {
      if (!isPat(plaintext)) return { admitted: false, because: 'unknown' }
      const subject = {
        table: table(),
        key: { id: hashedId('tok', plaintext) },
        alive: 'attribute_exists(#id) AND attribute_not_exists(#revokedAt) AND #expiresAt > :now',
        isAlive: (item: Item) => statusOf(read(item), nowMs) === 'active',
        note: '#lastUsedAt = :now',
        values: { ':now': iso(nowMs) },
        read,
      }
      return admit(subject, limit, nowMs)
    },

    async mint(wanted) {
      const plaintext = formatPat(env.settings().cell, randomBytes(64))
      const expiresMs = Date.parse(wanted.expiresAt)
      const record: PatRecord = {
        ...wanted,
        id: hashedId('tok', plaintext),
        tokenPrefix: plaintext.slice(0, prefixLength),
        expiresAt: iso(expiresMs),
      }
      // An item that refuses this put can only be this very token, written by an attempt whose answer was lost.
      await putNew(table(), 'id', { ...record, ttl: Math.ceil((expiresMs + keptMs) / 1000) })
      return { record, plaintext }
    },

    async list(userId) {
      const keys: Item[] = []
      const asked = {
        TableName: table(),
        IndexName: 'byUser',
        KeyConditionExpression: 'userId = :user',
        ExpressionAttributeValues: toItem({ ':user': userId }),
      }
      for await (const { id } of query(asked)) if (id) keys.push({ id })
      const records = (await getMany(table(), keys)).map(read)
      return records.sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id))
    },

    async find(id) {
      if (!isTokenId(id)) return null
      const item = await get(table(), { id })
      return item && read(item)
    },

    async revoke(id, at) {
      if (!isTokenId(id)) return
      await change({
        table: table(),
        key: { id },
        update: 'SET #revokedAt = if_not_exists(#revokedAt, :at)',
        condition: 'attribute_exists(#id)',
        values: { ':at': at },
      })
    },
  }
}
