import { randomBytes } from 'node:crypto'
import type { Sessions } from '../../../app/ports/account.ts'
import { type SessionRecord, sessionRecord } from '../../../domain/account/user.ts'
import { sessionTtlMs, useNotedMs } from '../../../domain/lifetimes.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { change, get, getByUser, putNew, removed } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { hashedId } from '../secret-hash.ts'

const read = (item: Item): SessionRecord => parse(sessionRecord, item)

const lifeFrom = (nowMs: number) => ({
  expiresAt: iso(nowMs + sessionTtlMs),
  ttl: Math.ceil((nowMs + sessionTtlMs) / 1000),
})

export function sessions(env: Env): Sessions {
  const table = () => env.table('sessions')
  const at = (id: string) => itemAt<keyof SessionRecord>(table(), { id })
  return {
    async authenticate(cookie, nowMs) {
      const id = hashedId('ses', cookie)
      const item = await get(table(), { id })
      const record = item && read(item)
      if (!record || Date.parse(record.expiresAt) <= nowMs) return null
      if (Date.parse(record.lastSeenAt) > nowMs - useNotedMs) return record
      const { expiresAt, ttl } = lifeFrom(nowMs)
      const noted = await change({
        ...at(id),
        update: 'SET #expiresAt = :expiresAt, #ttl = :ttl, #lastSeenAt = :now',
        condition: 'attribute_exists(#id) AND #expiresAt > :now',
        values: { ':now': iso(nowMs), ':expiresAt': expiresAt, ':ttl': ttl },
      })
      return noted.done ? read(noted.item) : null
    },

    async open(userId, nowMs, device, passkeyId = null, ...also) {
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
      await putNew(table(), 'id', { ...record, ttl }, ...also)
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

    close: (userId, id, ...also) =>
      removed({ ...at(id), condition: '#userId = :user', values: { ':user': userId } }, ...also),
  }
}
