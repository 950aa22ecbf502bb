import { randomBytes } from 'node:crypto'
import type { Sessions } from '../../../app/tokens/ports.ts'
import { type SessionRecord, sessionRecord } from '../../../domain/account/user.ts'
import { sessionTtlMs } from '../../../domain/lifetimes.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { get, getByUser, putNew, removed } from '../calls.ts'
import { hashedId } from '../hashed-id.ts'
import { type Item, parse } from '../item.ts'
import { admit } from '../rates/admit.ts'

const read = (item: Item): SessionRecord => parse(sessionRecord, item)

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

    async open(userId, nowMs, device, passkeyId = null) {
      const cookie = randomBytes(32).toString('base64url')
      const { expiresAt, ttl } = lifeFrom(nowMs)
      const at = iso(nowMs)
      const record = {
        id: hashedId('ses', cookie),
        userId,
        createdAt: at,
        expiresAt,
        lastSeenAt: at,
        device,
        passkeyId,
      }
      await putNew(table(), 'id', { ...record, ttl })
      return { record, cookie }
    },

    async isOpen(id, nowMs) {
      const item = await get(table(), { id })
      return item !== null && Date.parse(read(item).expiresAt) > nowMs
    },

    async list(userId, nowMs) {
      const records = await getByUser(table(), userId, read)
      return records.filter(({ expiresAt }) => Date.parse(expiresAt) > nowMs)
    },

    close: (userId, id) =>
      removed({ table: table(), key: { id }, condition: '#userId = :user', values: { ':user': userId } }),
  }
}
