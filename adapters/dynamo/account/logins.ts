import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { Logins } from '../../../app/tokens/ports.ts'
import { loginCodeTtlMs } from '../../../domain/lifetimes.ts'
import { dayMs, hourMs } from '../../../domain/time.ts'
import { loginTries, mailsPerDay, mailsPerHour, wrongCodesPerDay } from '../../../domain/tokens/rate-limits.ts'
import type { Env } from '../../env.ts'
import { backOff, change, get } from '../calls.ts'
import { type Item, parse } from '../item.ts'

/** Writers of one address that may be in each other's way before the last of them is told to come back. */
const races = 20

const stored = z.object({
  /** When this address was mailed, ms since 1970, a day back. */
  mails: z.array(z.int()),
  salt: z.string(),
  hash: z.string(),
  kind: z.enum(['code', 'link']).default('code'),
})

const digest = (subject: string, secret: string, salt: string): string =>
  createHash('sha256')
    .update(JSON.stringify([subject, secret, salt]))
    .digest('base64url')

/** Codes tried on a day (UTC) that were not right. */
const wrongOn = (nowMs: number): string => `wrong_${Math.floor(nowMs / dayMs)}`

const wrongIn = (item: Item | null, nowMs: number): number => Number(item?.[wrongOn(nowMs)]?.N ?? 0)

const isCode = (secret: string): boolean => /^\d{6}$/.test(secret)

export function logins(env: Env): Logins {
  const table = () => env.table('logins')

  /** A code's try is counted as wrong before anything is compared, so no number of callers at once gets one more. */
  const tryCode = (email: string, nowMs: number) =>
    change({
      table: table(),
      key: { email },
      update: `SET #triesLeft = #triesLeft - :one ADD #${wrongOn(nowMs)} :one`,
      condition: `#kind = :code AND #triesLeft > :zero AND #expiresMs > :now AND attribute_not_exists(#usedBy) AND (attribute_not_exists(#${wrongOn(nowMs)}) OR #${wrongOn(nowMs)} < :most)`,
      values: { ':one': 1, ':zero': 0, ':now': nowMs, ':most': wrongCodesPerDay, ':code': 'code' },
    })

  /** Nobody guesses 128 bits, and a counter would let anybody use up the tries of the one who has them. */
  const openLink = async (email: string, nowMs: number) => {
    const item = await get(table(), { email })
    const live = item?.kind?.S === 'link' && !item.usedBy && Number(item.expiresMs?.N) > nowMs
    return item && live ? ({ done: true, item } as const) : ({ done: false } as const)
  }

  return {
    async issue(email, nowMs) {
      const secrets = {
        code: String(randomInt(1_000_000)).padStart(6, '0'),
        link: randomBytes(16).toString('base64url'),
      }
      const salt = randomBytes(16).toString('base64url')
      let old = await get(table(), { email })
      for (let race = 1; race <= races; race++) {
        const before = old && parse(stored, old)
        if (before?.salt === salt) return { kind: before.kind, secret: secrets[before.kind] }
        const mails = (before?.mails ?? []).filter((at) => at > nowMs - dayMs)
        if (mails.length >= mailsPerDay) return null
        if (mails.filter((at) => at > nowMs - hourMs).length >= mailsPerHour) return null
        const kind = wrongIn(old, nowMs) >= wrongCodesPerDay ? 'link' : 'code'
        const written = await change({
          table: table(),
          key: { email },
          update: `SET #salt = :salt, #hash = :hash, #kind = :kind, #expiresMs = :expires, #triesLeft = :tries, #ttl = :ttl, #mails = :mails REMOVE #usedBy, #${wrongOn(nowMs - dayMs)}`,
          condition: before ? '#salt = :seen' : 'attribute_not_exists(#email)',
          values: {
            ':salt': salt,
            ':hash': digest(email, secrets[kind], salt),
            ':kind': kind,
            ':expires': nowMs + loginCodeTtlMs,
            ':tries': loginTries,
            ':ttl': Math.ceil((nowMs + dayMs + hourMs) / 1000),
            ':mails': [...mails, nowMs],
            ...(before && { ':seen': before.salt }),
          },
        })
        if (written.done) return { kind, secret: secrets[kind] }
        old = written.old
        await backOff(Math.min(race, 4))
      }
      return null
    },

    async redeem(email, secret, nowMs) {
      const tried = isCode(secret) ? await tryCode(email, nowMs) : await openLink(email, nowMs)
      if (!tried.done) return false
      const { salt, hash, kind } = parse(stored, tried.item)
      if (!timingSafeEqual(Buffer.from(digest(email, secret, salt)), Buffer.from(hash))) return false
      const me = randomBytes(16).toString('base64url')
      const used = await change({
        table: table(),
        key: { email },
        // The right code was no wrong one after all.
        update:
          kind === 'code' ? `SET #usedBy = :me, #${wrongOn(nowMs)} = #${wrongOn(nowMs)} - :one` : 'SET #usedBy = :me',
        condition: '#hash = :hash AND attribute_not_exists(#usedBy)',
        values: { ':me': me, ':hash': hash, ...(kind === 'code' && { ':one': 1 }) },
      })
      return used.done || used.old?.usedBy?.S === me
    },
  }
}
