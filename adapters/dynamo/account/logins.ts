import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { Logins } from '../../../app/ports/account.ts'
import { lost, retry } from '../../../app/retry.ts'
import { returnedMailKeptMs } from '../../../domain/account/returned-mail.ts'
import { type Asker, codeTries, nextMail, type UnusedMail } from '../../../domain/account/sign-in-limits.ts'
import { loginCodeTtlMs, loginLinkTtlMs } from '../../../domain/lifetimes.ts'
import { dateOf, dayMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { backOff, change, changed, changeInput, get, transact } from '../calls.ts'
import { clause, itemAt } from '../expressions.ts'
import { fromAttribute, type Item, parse, toItem } from '../item.ts'

/** Retries of a write to one address; after the last, no mail is sent. */
const races = 20

/** A mailed secret, and the names of the attributes that count its mail until it is used. */
const stored = z.object({
  salt: z.string(),
  codeHash: z.string(),
  linkExpiresMs: z.int(),
  usedBy: z.string().optional(),
  countedIn: z.string(),
  mail: z.string(),
  networkDay: z.string().optional(),
})
type Stored = z.infer<typeof stored>

interface Attempt {
  key: { email: string }
  record: Stored
}

const hashOf = (...parts: string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

const newSecret = (): string => randomBytes(16).toString('base64url')

const keyOf = (subject: string, attempt: string) => ({ email: `attempt#${hashOf(subject, attempt)}` })

const unusedMail = z.object({ at: z.int(), asker: z.string(), code: z.boolean() })

/** Unused mails, by the attribute that counts each. */
const unusedIn = (item: Item | null): [string, UnusedMail][] =>
  Object.entries(item ?? {})
    .filter(([name]) => name.startsWith('mail_'))
    .map(([name, value]) => [name, unusedMail.parse(fromAttribute(value))])

/** Time of the last remembered bounce, ms since 1970; otherwise 0. */
function bouncedIn(item: Item | null, nowMs: number): number {
  const at = Number(item?.bounced?.N ?? 0)
  return at > nowMs - returnedMailKeptMs ? at : 0
}

export function logins(env: Env): Logins {
  const table = () => env.table('logins')
  return {
    async issue(subject, asker, nowMs, named) {
      const [token, salt] = [newSecret(), newSecret()]
      const code = String(randomInt(1_000_000)).padStart(6, '0')
      // A link's attempt is a hash of its token, so the browser that asked cannot derive the token.
      const attempt = named ?? hashOf(subject, token)
      const own = asker.share === 'own'
      const record: Stored = {
        salt,
        codeHash: hashOf(subject, code, salt),
        linkExpiresMs: nowMs + loginLinkTtlMs,
        countedIn: own ? `own#${hashOf(subject, asker.id)}` : subject,
        mail: `mail_${randomBytes(8).toString('hex')}`,
        ...(!own && { networkDay: `network#${asker.id}#${dateOf(nowMs)}` }),
      }
      const address = named === undefined ? subject : null
      const kept = await retry(() => keep(table(), { key: keyOf(subject, attempt), record }, asker, nowMs, address), {
        tries: races,
        wait: (tried) => backOff(Math.min(tried, 4)),
      })
      const { kind, bounced } = kept === lost ? { kind: null, bounced: false } : kept
      return { attempt, mail: kind === null ? null : { code: kind === 'code' ? code : null, token }, bounced }
    },

    // Change the salt too, so that a writer that is about to count an e-mail in this item reads it again.
    async markBounced(email, nowMs) {
      await change({
        ...countsAt(table(), email),
        update: 'SET #bounced = :at, #salt = :salt, #ttl = :ttl',
        values: { ':at': nowMs, ':salt': newSecret(), ':ttl': Math.ceil((nowMs + returnedMailKeptMs) / 1000) },
      })
    },

    forgetBounce: (email, ...also) =>
      changed(
        // An update would create a missing item, and that item would never expire.
        { ...countsAt(table(), email), update: 'REMOVE #bounced', condition: 'attribute_exists(#email)' },
        ...also,
      ),

    async redeemCode(subject, attempts, code, nowMs) {
      for (const attempt of attempts) {
        const right = await tryCode(table(), subject, attempt, code, nowMs)
        if (right) return use(table(), right, nowMs)
      }
      return false
    },

    async redeemLink(subject, token, nowMs) {
      const key = keyOf(subject, hashOf(subject, token))
      const item = await read(table(), key.email)
      const record = item && parse(stored, item)
      return record !== null && !record.usedBy && record.linkExpiresMs > nowMs && use(table(), { key, record }, nowMs)
    },
  }
}

const countsAt = (table: string, email: string) => itemAt<'salt' | 'bounced' | 'codes'>(table, { email })

const attemptAt = (table: string, key: Attempt['key']) =>
  itemAt<keyof Stored | 'triesLeft' | 'codeExpiresMs'>(table, key)

const read = (table: string, email: string) => get(table, { email })

/** Counts and stores a mail in one write, so that every counted mail can be used. */
async function keep(table: string, { key, record }: Attempt, asker: Asker, nowMs: number, address: string | null) {
  const { countedIn, mail, salt, networkDay } = record
  const [item, ofNetwork, ofAddress] = await Promise.all([
    read(table, countedIn),
    networkDay ? read(table, networkDay) : null,
    address !== null && address !== countedIn ? read(table, address) : null,
  ])
  const bouncedMs = bouncedIn(address === countedIn ? item : ofAddress, nowMs)
  const bounced = bouncedMs > 0
  const unused = unusedIn(item)
  const kept = unused.find(([name]) => name === mail)?.[1]
  if (kept) return { kind: kept.code ? 'code' : 'link', bounced }
  const networkCodes = Number(ofNetwork?.codes?.N ?? 0)
  const mails = unused.map(([, each]) => each)
  const kind = nextMail(mails, asker, networkCodes, nowMs)
  if (kind === null) return { kind, bounced }
  const isCode = kind === 'code'
  const old = unused.filter(([, { at }]) => at <= nowMs - dayMs).map(([name]) => `#${name}`)
  const keptUntil = Math.max(nowMs + 2 * dayMs, countedIn === address ? bouncedMs + returnedMailKeptMs : 0)
  const attempt = { ...record, triesLeft: isCode ? codeTries : 0, codeExpiresMs: nowMs + loginCodeTtlMs }
  const counted = changeInput({
    ...countsAt(table, countedIn),
    update: `SET #${mail} = :mail, #salt = :salt, #ttl = :ttl${clause('REMOVE', old)}`,
    condition: item ? '#salt = :seen' : 'attribute_not_exists(#salt)',
    values: {
      ':mail': { at: nowMs, asker: asker.id, code: isCode } satisfies UnusedMail,
      ':salt': salt,
      ':ttl': Math.ceil(keptUntil / 1000),
      ...(item && { ':seen': item.salt?.S }),
    },
  })
  const written = await transact([
    { Update: counted },
    {
      Put: {
        TableName: table,
        Item: toItem({
          ...key,
          ...attempt,
          ...(!isCode && { networkDay: null }),
          ttl: Math.ceil(record.linkExpiresMs / 1000),
        }),
      },
    },
    ...countCode(table, isCode ? networkDay : undefined, 1, nowMs),
  ])
  return written.done ? { kind, bounced } : lost
}

const countCode = (table: string, networkDay: string | undefined, by: 1 | -1, nowMs: number) =>
  networkDay === undefined
    ? []
    : [
        {
          Update: changeInput({
            ...countsAt(table, networkDay),
            update: 'SET #ttl = :ttl ADD #codes :by',
            values: { ':by': by, ':ttl': Math.ceil((nowMs + dayMs) / 1000) },
          }),
        },
      ]

/** Counts the try before it compares, so that parallel callers get no extra try. */
async function tryCode(
  table: string,
  subject: string,
  attempt: string,
  code: string,
  nowMs: number,
): Promise<Attempt | null> {
  const key = keyOf(subject, attempt)
  const tried = await change({
    ...attemptAt(table, key),
    update: 'SET #triesLeft = #triesLeft - :one',
    condition: '#triesLeft > :zero AND #codeExpiresMs > :now AND attribute_not_exists(#usedBy)',
    values: { ':one': 1, ':zero': 0, ':now': nowMs },
  })
  if (!tried.done) return null
  const record = parse(stored, tried.item)
  const right = timingSafeEqual(Buffer.from(hashOf(subject, code, record.salt)), Buffer.from(record.codeHash))
  return right ? { key, record } : null
}

/** Uses up a mail's code and link, for one caller only, and removes the mail from the counts. */
async function use(table: string, { key, record }: Attempt, nowMs: number): Promise<boolean> {
  const me = newSecret()
  const first = changeInput({
    ...attemptAt(table, key),
    update: 'SET #usedBy = :me',
    condition: '#salt = :salt AND attribute_not_exists(#usedBy)',
    values: { ':me': me, ':salt': record.salt },
  })
  const used = await transact([
    { Update: first },
    { Update: changeInput({ ...countsAt(table, record.countedIn), update: `REMOVE #${record.mail}` }) },
    ...countCode(table, record.networkDay, -1, nowMs),
  ])
  return used.done || used.refused[0]?.usedBy?.S === me
}
