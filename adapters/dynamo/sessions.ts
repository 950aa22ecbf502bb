import { randomBytes } from 'node:crypto'
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { type SessionRecord, sessionTtlMs } from '../../domain/account/user.ts'
import { iso, timestamp } from '../../domain/time.ts'
import type { Sessions } from '../../domain/tokens/ports.ts'
import type { Env } from '../env.ts'
import { admit } from './admit.ts'
import { call, putNew } from './calls.ts'
import { hashedId } from './hashed-id.ts'
import { type Item, parse, toItem } from './item.ts'

const stored = z.object({
  id: z.string(),
  userId: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp,
}) satisfies z.ZodType<SessionRecord>

const read = (item: Item): SessionRecord => parse(stored, item)

const lifeFrom = (nowMs: number) => ({
  expiresAt: iso(nowMs + sessionTtlMs),
  ttl: Math.ceil((nowMs + sessionTtlMs) / 1000),
})

export function sessions(env: Env): Sessions {
  const table = () => env.table('sessions')
  return {
    /** Every use starts the session's life again. */
    admit(cookie, limit, nowMs) {
      const { expiresAt, ttl } = lifeFrom(nowMs)
      const subject = {
        table: table(),
        key: { id: hashedId('ses', cookie) },
        alive: 'attribute_exists(#id) AND #expiresAt > :now',
        isAlive: (item: Item) => Date.parse(read(item).expiresAt) > nowMs,
        note: '#expiresAt = :expiresAt, #ttl = :ttl',
        values: { ':now': iso(nowMs), ':expiresAt': expiresAt, ':ttl': ttl },
        read,
      }
      return admit(subject, limit, nowMs)
    },

    async open(userId, nowMs) {
      const cookie = randomBytes(32).toString('base64url')
      const { expiresAt, ttl } = lifeFrom(nowMs)
      const record: SessionRecord = { id: hashedId('ses', cookie), userId, createdAt: iso(nowMs), expiresAt }
      await putNew(table(), 'id', { ...record, ttl })
      return { record, cookie }
    },

    async close(id) {
      const input = { TableName: table(), Key: toItem({ id }) }
      await call((db) => db.send(new DeleteItemCommand(input)))
    },
  }
}
