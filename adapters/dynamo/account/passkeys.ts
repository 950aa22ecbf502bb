import * as z from 'zod'
import type { Passkeys } from '../../../app/ports/account.ts'
import { type PasskeyRecord, passkeyRecord } from '../../../domain/account/passkey.ts'
import { challengeTtlMs } from '../../../domain/lifetimes.ts'
import type { Env } from '../../env.ts'
import { changed, get, getByUser, putNew, remove, removed } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { hashedId } from '../secret-hash.ts'

const stored = passkeyRecord.extend({ lastUsedAt: passkeyRecord.shape.lastUsedAt.default(null) })

const challenge = z.object({ userId: z.string().nullable().default(null), expiresMs: z.int() })

const challengeId = (text: string): string => `challenge#${text}`

const idOf: Passkeys['idOf'] = ({ credentialId }) => hashedId('pky', credentialId)

const read = (item: Item): PasskeyRecord => parse(stored, item)

export function passkeys(env: Env): Passkeys {
  const table = () => env.table('passkeys')
  const passkeyAt = (id: string) => itemAt<keyof PasskeyRecord>(table(), { id })
  return {
    async saveChallenge(text, forUser, nowMs) {
      const expiresMs = nowMs + challengeTtlMs
      // Not under `userId`: the index by user must contain only passkeys.
      const item = { id: challengeId(text), forUser, expiresMs, ttl: Math.ceil(expiresMs / 1000) }
      await putNew(table(), 'id', item)
    },

    async takeChallenge(text, nowMs) {
      if (!/^[\w-]{16,100}$/.test(text)) return null
      const item = await remove(table(), { id: challengeId(text) })
      if (!item) return null
      const { userId, expiresMs } = parse(challenge, {
        expiresMs: item.expiresMs ?? { N: '0' },
        ...(item.forUser && { userId: item.forUser }),
      })
      return expiresMs > nowMs ? { userId } : null
    },

    idOf,

    async add(record, ...also) {
      const made: PasskeyRecord = { ...record, id: idOf(record) }
      const written = await putNew(table(), 'id', made, ...also)
      if (written.done) return made
      const known = written.old && read(written.old)
      return known && known.userId === made.userId && known.createdAt === made.createdAt ? made : null
    },

    list: (userId) => getByUser(table(), userId, read),

    async find(credentialId) {
      const item = await get(table(), { id: idOf({ credentialId }) })
      return item && read(item)
    },

    /** Authenticators without a counter always send zero. */
    recordUse: ({ id, counter: before }, counter, at) =>
      changed({
        ...passkeyAt(id),
        update: 'SET #counter = :counter, #lastUsedAt = :at',
        condition: '#counter = :before OR (#counter = :counter AND #lastUsedAt = :at)',
        values: { ':counter': counter, ':before': before, ':at': at },
      }),

    async remove(userId, id, ...also) {
      const item = await get(table(), { id })
      const record = item && item.userId?.S === userId ? read(item) : null
      const gone = { ...passkeyAt(id), condition: '#userId = :user', values: { ':user': userId } } as const
      return record && (await removed(gone, ...also)) ? record : null
    },
  }
}
