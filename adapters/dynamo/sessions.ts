import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException, DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { type SessionRecord, sessionTtlMs } from '../../domain/account/user.ts'
import { iso, timestamp } from '../../domain/time.ts'
import type { Sessions } from '../../domain/tokens/ports.ts'
import type { Env } from '../env.ts'
import { admit } from './admit.ts'
import { call, get, getMany, putNew, query } from './calls.ts'
import { hashedId } from './hashed-id.ts'
import { type Item, parse, toItem } from './item.ts'

const stored = z.object({
  id: z.string(),
  userId: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp,
  lastSeenAt: timestamp,
  device: z.string(),
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
        note: '#expiresAt = :expiresAt, #ttl = :ttl, #lastSeenAt = :now',
        values: { ':now': iso(nowMs), ':expiresAt': expiresAt, ':ttl': ttl },
        read,
      }
      return admit(subject, limit, nowMs)
    },

    async open(userId, nowMs, device) {
      const cookie = randomBytes(32).toString('base64url')
      const { expiresAt, ttl } = lifeFrom(nowMs)
      const at = iso(nowMs)
      const record = { id: hashedId('ses', cookie), userId, createdAt: at, expiresAt, lastSeenAt: at, device }
      await putNew(table(), 'id', { ...record, ttl })
      return { record, cookie }
    },

    async isOpen(id, nowMs) {
      const item = await get(table(), { id })
      return item !== null && Date.parse(read(item).expiresAt) > nowMs
    },

    async list(userId, nowMs) {
      const asked = {
        TableName: table(),
        IndexName: 'byUser',
        KeyConditionExpression: 'userId = :user',
        ExpressionAttributeValues: toItem({ ':user': userId }),
        ScanIndexForward: false,
      }
      const keys: Item[] = []
      for await (const { id } of query(asked)) if (id) keys.push({ id })
      const records = (await getMany(table(), keys)).map(read).filter(({ expiresAt }) => Date.parse(expiresAt) > nowMs)
      return records.sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id))
    },

    /** A delete whose answer was lost finds nothing the second time, and that is what its caller wanted. */
    async close(userId, id) {
      let tries = 0
      const input = {
        TableName: table(),
        Key: toItem({ id }),
        ConditionExpression: 'userId = :user',
        ExpressionAttributeValues: toItem({ ':user': userId }),
      }
      try {
        await call((db) => {
          tries++
          return db.send(new DeleteItemCommand(input))
        })
        return true
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return tries > 1
        throw error
      }
    },
  }
}
