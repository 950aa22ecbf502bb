import { randomBytes, randomUUID } from 'node:crypto'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { Part } from '../../../app/ports/part.ts'
import type { TokenChange, Tokens } from '../../../app/ports/tokens.ts'
import { lost } from '../../../app/retry.ts'
import { conflict, unauthorized } from '../../../domain/errors.ts'
import { deadTokenKeptMs, useNotedMs } from '../../../domain/lifetimes.ts'
import { isScope } from '../../../domain/scopes.ts'
import { iso } from '../../../domain/time.ts'
import {
  capFields,
  countIdOf,
  formatPat,
  isPat,
  isTokenId,
  maxTokens,
  type PatRecord,
  pat,
  prefixLength,
  statusOf,
  tooManyLive,
} from '../../../domain/tokens/pat.ts'
import type { Env } from '../../env.ts'
import {
  change,
  changeInput,
  checkInput,
  get,
  getByUser,
  getMany,
  putInput,
  queryByUser,
  transact,
  untilWritten,
} from '../calls.ts'
import { clause, itemAt } from '../expressions.ts'
import { type Item, parse, toItem } from '../item.ts'
import { partOf } from '../part.ts'
import { hashedId } from '../secret-hash.ts'
import { listTtl, places } from './places.ts'

/** Scopes that no longer exist are dropped. */
const stored = pat.omit({ status: true }).extend({
  scopes: z.array(z.string()).transform((held) => held.filter(isScope)),
  lastUsedAt: pat.shape.lastUsedAt.default(null),
  revokedAt: pat.shape.revokedAt.default(null),
  userId: z.string(),
  mintedBy: z.string().optional(),
  replacedBy: z.string().optional(),
  spendsAs: z.string().optional(),
  spendsUnder: z.array(z.string()).optional(),
}) satisfies z.ZodType<PatRecord>

const tokenAt = (table: string, id: string) =>
  itemAt<keyof typeof stored.shape | 'revokedBy' | 'hasMinted'>(table, { id })

const good = 'attribute_exists(#id) AND attribute_not_exists(#revokedAt) AND #expiresAt > :now'

export const readToken = (item: Item): PatRecord => parse(stored, item)

/** Lists the tokens that a token minted, one attribute each. Only a revocation reads it. */
export const mintedId = (tokenId: string): string => `minted#${tokenId}`

/** @param most live tokens per account */
export function tokens(env: Env, most = maxTokens): Tokens {
  const table = () => env.table('tokens')
  const find = async (id: string): Promise<PatRecord | null> => {
    if (!isTokenId(id)) return null
    const item = await get(table(), { id })
    return item && readToken(item)
  }
  return {
    ...minting(env, most),
    ...revoking(env),
    find,

    findAll: async (ids) =>
      (
        await getMany(
          table(),
          ids.map((id) => toItem({ id })),
        )
      ).map(readToken),

    async authenticate(plaintext, nowMs, client) {
      const record = isPat(plaintext) ? await find(hashedId('tok', plaintext)) : null
      if (!record || statusOf(record, nowMs) !== 'active') return null
      const isNewClient = client !== undefined && client !== (record.lastClient ?? null)
      if (!isNewClient && Date.parse(record.lastUsedAt ?? iso(0)) > nowMs - useNotedMs) return record
      const noted = await change({
        ...tokenAt(table(), record.id),
        update: `SET #lastUsedAt = :now${client ? ', #lastClient = :client' : ''}${client === null ? ' REMOVE #lastClient' : ''}`,
        condition: good,
        values: { ':now': iso(nowMs), ...(client && { ':client': client }) },
      })
      return noted.done ? readToken(noted.item) : null
    },

    async noteClient(id, client) {
      await change({
        ...tokenAt(table(), id),
        update: 'SET #lastClient = :client',
        condition: 'attribute_exists(#id)',
        values: { ':client': client },
      })
    },

    findByPlaintext: async (plaintext) => (isPat(plaintext) ? find(hashedId('tok', plaintext)) : null),

    list: (userId) => getByUser(table(), userId, readToken),

    isAlive(id, nowMs) {
      const check = checkInput({ ...tokenAt(table(), id), condition: good, values: { ':now': iso(nowMs) } })
      return partOf([{ ConditionCheck: check }], unauthorized)
    },

    async change(token, to, ...also) {
      const { name: _, ...caps } = to
      const first = countIdOf(token)
      const capsChange = capFields.some((field) => caps[field] !== undefined)
      if (first === token.id || !capsChange) {
        const written = await change(tokenChange(table(), token, to), ...also)
        return written.done ? readToken(written.item) : null
      }
      // A cap on one token of a reroll is also stored with their common count, so that it limits both.
      const changes = [tokenChange(table(), token, to), tokenChange(table(), { ...token, id: first }, caps)]
      const written = await transact(
        changes.map((each) => ({ Update: changeInput(each) })),
        ...also,
      )
      return written.done ? find(token.id) : null
    },
  }
}

function tokenChange(table: string, { id, userId, app }: PatRecord, to: TokenChange) {
  // A connected app's total cap is stored in its grant.
  const nameOf = (field: keyof TokenChange) =>
    field === 'capMicros' && app ? '#app.#capMicros' : (`#${field}` as const)
  const set = (['name', ...capFields] as const).filter((field) => to[field] !== null && to[field] !== undefined)
  const gone = capFields.filter((field) => to[field] === null)
  const sets = set.map((field) => `${nameOf(field)} = :${field}` as const)
  return {
    ...tokenAt(table, id),
    update: `${clause('SET', sets)}${clause('REMOVE', gone.map(nameOf))}`,
    condition: '#userId = :user',
    values: { ':user': userId, ...Object.fromEntries(set.map((field) => [`:${field}`, to[field]])) },
  } as const
}

/**
 * The write that mints a token also adds it to its maker's list, on the condition that the maker is not revoked. So the
 * list is complete after a revocation.
 */
function minting(env: Env, most: number): Pick<Tokens, 'newSecret' | 'mint' | 'reroll' | 'checkFree'> {
  const table = () => env.table('tokens')
  const live = places(env, readToken, most)
  return {
    newSecret: () => newSecret(env),

    async checkFree(userId, nowMs) {
      if (!(await live.hasFree(userId, nowMs))) throw tooManyLive()
    },

    async mint(wanted, secret, ...also) {
      const made = make({ ...wanted, expiresAt: iso(Date.parse(wanted.expiresAt)) }, secret ?? newSecret(env))
      // Only a retry after a lost answer finds this very token.
      const put = item(made.record)
      const { mintedBy, userId } = wanted
      if (mintedBy) await checkCount(table(), userId)
      const nowMs = Date.parse(wanted.createdAt)
      const parts = [
        { Put: putInput(table(), 'id', put) },
        live.take(userId, made.record.id, nowMs),
        ...(mintedBy ? [maker(table(), mintedBy), addToMinted(table(), mintedBy, made.record)] : []),
      ]
      return untilWritten(placeTries, busyMinting, async () => {
        const written = await transact(parts, ...also)
        if (written.done || written.refused[0]) return made
        const [, place, dead, full] = written.refused
        if (dead !== undefined) throw unauthorized()
        if (full !== undefined) throw tooMany()
        if (place !== undefined && !(await live.recount(userId, nowMs))) throw tooManyLive()
        return lost
      })
    },

    async reroll(old, wanted, endsAt, ...also) {
      const made = make({ ...wanted, replaces: old.id }, newSecret(env))
      const itself = wanted.mintedBy === old.id
      const makers = [...new Set([wanted.mintedBy, old.mintedBy])].filter((id) => id !== undefined)
      if (makers.length > 0) await checkCount(table(), wanted.userId)
      const ending: TransactWriteItem = {
        Update: changeInput({
          ...tokenAt(table(), old.id),
          update: `SET #expiresAt = :ends, #replacedBy = :next${itself ? ', #hasMinted = :yes' : ''}`,
          condition:
            'attribute_exists(#id) AND attribute_not_exists(#revokedAt) AND attribute_not_exists(#replacedBy) AND #expiresAt > :now',
          values: {
            ':ends': endsAt,
            ':next': made.record.id,
            ':now': wanted.createdAt,
            ...(itself && { ':yes': true }),
          },
        }),
      }
      const nowMs = Date.parse(wanted.createdAt)
      // The new token gets the old one's place, unless both are live for a while.
      const endsNow = Date.parse(endsAt) <= nowMs
      const parts = () => [
        { Put: putInput(table(), 'id', item(made.record)) },
        endsNow ? live.handOn(old.userId, old.id, made.record.id, nowMs) : live.take(old.userId, made.record.id, nowMs),
        ending,
        ...makers.filter((id) => id !== old.id).map((id) => maker(table(), id)),
        ...makers.map((id) => addToMinted(table(), id, made.record)),
      ]
      return untilWritten(placeTries, busyMinting, async () => {
        const written = await transact(parts(), ...also)
        if (written.done || written.refused[0]) return made
        const [, place, ...others] = written.refused
        if (place === undefined || others.some((each) => each !== undefined))
          throw conflict('This token was rerolled or revoked already. List your tokens and use the newest.')
        if (!(await live.recount(old.userId, nowMs)) && !endsNow) throw tooManyLive()
        return lost
      })
    },
  }
}

function newSecret(env: Env) {
  const plaintext = formatPat(env.settings().cell, randomBytes(64))
  return { id: hashedId('tok', plaintext), plaintext }
}

const make = (wanted: Omit<PatRecord, 'id' | 'tokenPrefix'>, { id, plaintext }: ReturnType<typeof newSecret>) => ({
  record: { ...wanted, id, tokenPrefix: plaintext.slice(0, prefixLength) } satisfies PatRecord,
  plaintext,
})

const item = (record: PatRecord) => ({
  ...record,
  ttl: Math.ceil((Date.parse(record.expiresAt) + deadTokenKeptMs) / 1000),
})

const addToMinted = (table: string, makerId: string, record: PatRecord): TransactWriteItem => ({
  Update: changeInput({
    ...itemAt<'count'>(table, { id: mintedId(makerId) }),
    update: `SET #${record.id} = :yes, #ttl = :ttl ADD #count :one`,
    condition: 'attribute_not_exists(#count) OR #count < :most',
    values: {
      ':yes': true,
      ':one': 1,
      ':most': maxTokens,
      ':ttl': listTtl(Date.parse(record.createdAt)),
    },
  }),
})

/** Requires that the maker is not revoked, and marks it as one that has minted. */
const maker = (table: string, id: string): TransactWriteItem => ({
  Update: changeInput({
    ...tokenAt(table, id),
    update: 'SET #hasMinted = :yes',
    condition: 'attribute_exists(#id) AND attribute_not_exists(#revokedAt)',
    values: { ':yes': true },
  }),
})

/** Keeps a chain of minted tokens short enough for one request to revoke it. */
async function checkCount(table: string, userId: string): Promise<void> {
  let count = 0
  for await (const _ of queryByUser(table, userId)) if (++count >= maxTokens) throw tooMany()
}

const tooMany = () =>
  conflict(`An account has ${maxTokens} tokens at most, ended ones of the last 30 days included. Revoke some first.`)

/** One recount is enough unless others take the freed places. */
const placeTries = 8

const busyMinting = () => conflict('Others are making tokens for this account. Try again.')

const atOnce = 16

/**
 * Ends a token before it reads the token's list: an ended token cannot mint, so the list is complete. The same applies
 * to each listed token.
 */
function revoking(env: Env): Pick<Tokens, 'revoke'> {
  const table = () => env.table('tokens')

  /** Returns the record if this call ended the token, and the tokens that end with it. */
  const end = async (id: string, at: string, me: string, also: readonly Part[]) => {
    const written = await change(
      {
        ...tokenAt(table(), id),
        update: 'SET #revokedAt = :at, #revokedBy = :me',
        condition: 'attribute_exists(#id) AND attribute_not_exists(#revokedAt)',
        values: { ':at': at, ':me': me },
      },
      ...also,
    )
    const item = written.done ? written.item : written.old
    if (!item) return { ended: null, next: [] }
    const record = readToken(item)
    // Also for an ended token: the call that ended it may have been interrupted.
    const minted = item.hasMinted ? await get(table(), { id: mintedId(id) }) : null
    const own = Object.keys(minted ?? {}).filter(isTokenId)
    return {
      ended: item.revokedBy?.S === me ? record : null,
      next: record.replaces ? [...own, record.replaces] : own,
    }
  }

  return {
    async revoke(first, at, ...also) {
      const me = randomUUID()
      const ended: PatRecord[] = []
      const seen = new Set(isTokenId(first) ? [first] : [])
      let left = [...seen]
      while (left.length > 0) {
        const now = left.splice(0, atOnce)
        const results = await Promise.all(now.map((id) => end(id, at, me, id === first ? also : [])))
        ended.push(...results.flatMap((result) => result.ended ?? []))
        const found = results.flatMap(({ next }) => next).filter((each) => !seen.has(each))
        for (const each of found) seen.add(each)
        left = [...left, ...new Set(found)]
      }
      return ended
    },
  }
}
