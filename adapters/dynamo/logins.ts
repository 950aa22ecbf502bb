import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { loginCodeTtlMs, loginTries } from '../../domain/account/user.ts'
import { dayMs, hourMs } from '../../domain/time.ts'
import type { Logins } from '../../domain/tokens/ports.ts'
import type { Env } from '../env.ts'
import { backOff, change, get } from './calls.ts'
import { parse } from './item.ts'

/** Mails one address gets within an hour and within a day. */
const mailsPerHour = 5
const mailsPerDay = 20

/** Writers of one address that may be in each other's way before the last of them is told to come back. */
const races = 20

const stored = z.object({
  /** When this address was mailed, ms since 1970, a day back. */
  mails: z.array(z.int()),
  salt: z.string(),
  hash: z.string(),
})

const digest = (email: string, code: string, salt: string): string =>
  createHash('sha256')
    .update(JSON.stringify([email, code, salt]))
    .digest('base64url')

export function logins(env: Env): Logins {
  const table = () => env.table('logins')
  return {
    async issue(email, code, nowMs) {
      const salt = randomBytes(16).toString('base64url')
      const values = {
        ':salt': salt,
        ':hash': digest(email, code, salt),
        ':expires': nowMs + loginCodeTtlMs,
        ':tries': loginTries,
        ':ttl': Math.ceil((nowMs + dayMs + hourMs) / 1000),
      }
      let old = await get(table(), { email })
      for (let race = 1; race <= races; race++) {
        const before = old && parse(stored, old)
        if (before?.salt === salt) return true
        const mails = (before?.mails ?? []).filter((at) => at > nowMs - dayMs)
        if (mails.length >= mailsPerDay) return false
        if (mails.filter((at) => at > nowMs - hourMs).length >= mailsPerHour) return false
        const written = await change({
          table: table(),
          key: { email },
          update:
            'SET #salt = :salt, #hash = :hash, #expiresMs = :expires, #triesLeft = :tries, #ttl = :ttl, #mails = :mails REMOVE #usedBy',
          condition: before ? '#salt = :seen' : 'attribute_not_exists(#email)',
          values: { ...values, ':mails': [...mails, nowMs], ...(before && { ':seen': before.salt }) },
        })
        if (written.done) return true
        old = written.old
        await backOff(Math.min(race, 4))
      }
      return false
    },

    /** The try is counted before anything is compared, so no number of callers at once gets a sixth. */
    async redeem(email, code, nowMs) {
      const tried = await change({
        table: table(),
        key: { email },
        update: 'SET #triesLeft = #triesLeft - :one',
        condition: '#triesLeft > :zero AND #expiresMs > :now AND attribute_not_exists(#usedBy)',
        values: { ':one': 1, ':zero': 0, ':now': nowMs },
      })
      if (!tried.done) return false
      const { salt, hash } = parse(stored, tried.item)
      if (!timingSafeEqual(Buffer.from(digest(email, code, salt)), Buffer.from(hash))) return false
      const used = await change({
        table: table(),
        key: { email },
        update: 'SET #usedBy = :me',
        condition: '#hash = :hash AND (attribute_not_exists(#usedBy) OR #usedBy = :me)',
        values: { ':me': randomBytes(16).toString('base64url'), ':hash': hash },
      })
      return used.done
    },
  }
}
