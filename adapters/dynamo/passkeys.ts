import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { challengeTtlMs, type PasskeyRecord, passkey } from '../../domain/account/passkey.ts'
import type { Passkeys } from '../../domain/account/ports.ts'
import type { Env } from '../env.ts'
import { call, change, get, getMany, putNew, query } from './calls.ts'
import { hashedId } from './hashed-id.ts'
import { type Item, parse, toItem } from './item.ts'

const stored = passkey.extend({
  lastUsedAt: passkey.shape.lastUsedAt.default(null),
  userId: z.string(),
  credentialId: z.string(),
  publicKey: z.string(),
  counter: z.int(),
  transports: z.array(z.string()),
}) satisfies z.ZodType<PasskeyRecord>

const challenge = z.object({ userId: z.string().nullable().default(null), expiresMs: z.int() })

const challengeId = (text: string): string => `challenge#${text}`

const read = (item: Item): PasskeyRecord => parse(stored, item)

export function passkeys(env: Env): Passkeys {
  const table = () => env.table('passkeys')
  /** The item as it was; null when there was none, also for the second of two who come at once. */
  const remove = async (id: string): Promise<Item | null> => {
    const input = { TableName: table(), Key: toItem({ id }), ReturnValues: 'ALL_OLD' as const }
    return (await call((db) => db.send(new DeleteItemCommand(input)))).Attributes ?? null
  }
  return {
    async issue(text, forUser, nowMs) {
      const expiresMs = nowMs + challengeTtlMs
      // Not under `userId`: the index of passkeys by user holds passkeys alone.
      const item = { id: challengeId(text), forUser, expiresMs, ttl: Math.ceil(expiresMs / 1000) }
      await putNew(table(), 'id', item)
    },

    async take(text, nowMs) {
      if (!/^[\w-]{16,100}$/.test(text)) return null
      const item = await remove(challengeId(text))
      if (!item) return null
      const { userId, expiresMs } = parse(challenge, {
        expiresMs: item.expiresMs ?? { N: '0' },
        ...(item.forUser && { userId: item.forUser }),
      })
      return expiresMs > nowMs ? { userId } : null
    },

    async add(record) {
      const made: PasskeyRecord = { ...record, id: hashedId('pky', record.credentialId) }
      const written = await putNew(table(), 'id', made)
      if (written.done) return made
      const same = written.old && read(written.old)
      return same && same.userId === made.userId && same.createdAt === made.createdAt ? made : null
    },

    async list(userId) {
      const asked = {
        TableName: table(),
        IndexName: 'byUser',
        KeyConditionExpression: 'userId = :user',
        ExpressionAttributeValues: toItem({ ':user': userId }),
      }
      const keys: Item[] = []
      for await (const { id } of query(asked)) if (id) keys.push({ id })
      return (await getMany(table(), keys)).map(read).sort((a, b) => b.createdAt.localeCompare(a.createdAt))
    },

    async find(credentialId) {
      const item = await get(table(), { id: hashedId('pky', credentialId) })
      return item && read(item)
    },

    /** Authenticators that keep no counter always say zero. */
    async used({ id, counter: before }, counter, at) {
      const written = await change({
        table: table(),
        key: { id },
        update: 'SET #counter = :counter, #lastUsedAt = :at',
        condition: '#counter = :before OR (#counter = :counter AND #lastUsedAt = :at)',
        values: { ':counter': counter, ':before': before, ':at': at },
      })
      return written.done
    },

    async remove(userId, id) {
      const item = await get(table(), { id })
      const record = item && item.userId?.S === userId ? read(item) : null
      return record && (await remove(id)) ? record : null
    },
  }
}
