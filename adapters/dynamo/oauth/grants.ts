import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { GrantOutcome, Grants, IssuedTokens } from '../../../app/ports/oauth.ts'
import { lost } from '../../../app/retry.ts'
import { conflict } from '../../../domain/errors.ts'
import { deadTokenKeptMs } from '../../../domain/lifetimes.ts'
import { type Authorization, authorization } from '../../../domain/oauth/authorization.ts'
import {
  accessTtlMs,
  codeRetryMs,
  codeTtlMs,
  decideRefresh,
  inGrace,
  type RefreshState,
} from '../../../domain/oauth/refresh.ts'
import { iso } from '../../../domain/time.ts'
import { formatPat, type PatRecord, prefixLength, statusOf } from '../../../domain/tokens/pat.ts'
import type { Env } from '../../env.ts'
import { changeInput, get, putInput, putNew, setting, transact, untilWritten } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse, toItem } from '../item.ts'
import { hashedId } from '../secret-hash.ts'
import { places } from '../tokens/places.ts'
import { mintedId, readToken } from '../tokens/tokens.ts'

const storedCode = authorization.extend({
  endsMs: z.number(),
  usedMs: z.number().optional(),
})

const storedGrant = z.object({
  family: z.string(),
  hash: z.string(),
  sinceMs: z.number(),
  rotated: z.array(z.object({ hash: z.string(), atMs: z.number(), next: z.string() })),
  /** Access tokens that have not expired: id → end, ms. */
  live: z.record(z.string(), z.number()),
})

type StoredGrant = z.infer<typeof storedGrant>

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

const sameText = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * A refresh token: the grant's id, a part that its whole family shares, and 32 random bytes. The shared part identifies
 * an old token of the family without a list of old tokens.
 */
interface RefreshToken {
  grantId: string
  family: string
  secret: string
}

const refreshShape = /^osr_([0-9A-Za-z]{22})([\w-]{22})([\w-]{43})$/

const formatRefresh = ({ grantId, family, secret }: RefreshToken): string => `osr_${grantId.slice(4)}${family}${secret}`

function readRefresh(text: string): RefreshToken | null {
  const [, id, family, secret] = refreshShape.exec(text) ?? []
  return id && family && secret ? { grantId: `tok_${id}`, family, secret } : null
}

/** Maps a refresh token's secret to its successor's and back: only a holder of one can read the other. */
const mask = (secret: string, other: string): string => {
  const pad = createHmac('sha256', secret).update('successor').digest()
  const bytes = Buffer.from(other, 'base64url')
  return Buffer.from(bytes.map((byte, at) => byte ^ (pad[at] ?? 0))).toString('base64url')
}

const codesTable = (env: Env) => env.table('oauth')
const tokensTable = (env: Env) => env.table('tokens')

export const grants = (env: Env): Grants => ({
  async issueCode(allowed, nowMs, ...also) {
    const code = `osa_${secretOf(32)}`
    const endsMs = nowMs + codeTtlMs
    // Kept after its end, so that a second use is recognised.
    const ttl = Math.ceil((endsMs + accessTtlMs) / 1000)
    await putNew(codesTable(env), 'id', { ...allowed, id: `code#${hashOf(code)}`, endsMs, ttl }, ...also)
    return code
  },

  redeem: (code, { clientId, redirectUri, verifier }, nowMs) =>
    untilWritten(5, busy, async () => {
      const id = `code#${hashOf(code)}`
      const item = await get(codesTable(env), { id })
      if (!item) return { kind: 'invalid' }
      const { endsMs, usedMs, ...allowed } = parse(storedCode, item)
      const proved =
        sameText(hashOf(verifier), allowed.challenge) &&
        allowed.clientId === clientId &&
        allowed.redirectUri === redirectUri
      if (usedMs !== undefined) {
        const found = proved && nowMs - usedMs < codeRetryMs ? null : await read(env, allowed.grantId)
        return found ? { kind: 'replayed', grant: found.grant } : { kind: 'invalid' }
      }
      return proved && nowMs < endsMs ? open(env, id, allowed, nowMs) : { kind: 'invalid' }
    }),

  refresh: (text, clientId, nowMs) =>
    untilWritten(5, busy, async () => {
      const found = await readOwn(env, text)
      if (!found || found.grant.app?.clientId !== clientId) return { kind: 'invalid' }
      const { grant, stored, token } = found
      if (statusOf(grant, nowMs) !== 'active') return { kind: 'invalid' }
      const decision = decideRefresh(stored, hashOf(token.secret), nowMs)
      if (decision === 'replayed') return { kind: 'replayed', grant }
      return decision === 'rotate' ? rotate(env, grant, stored, token, nowMs) : follow(env, grant, stored, token)
    }),

  findByRefreshToken: async (text) => (await readOwn(env, text))?.grant ?? null,
})

/** The first tokens of a grant, in one transaction with the use of the code. */
async function open(env: Env, id: string, allowed: Authorization, nowMs: number): Promise<GrantOutcome | typeof lost> {
  const live = places(env, readToken)
  const { grantId, clientId, host, capMicros, grantEndsAt: expiresAt, userId, name, scopes } = allowed
  const token = { grantId, family: secretOf(16), secret: secretOf(32) }
  const at = iso(nowMs)
  const grant: PatRecord = {
    ...{ id: grantId, userId, name, scopes, expiresAt, createdAt: at, lastUsedAt: at, revokedAt: null },
    tokenPrefix: '',
    app: { clientId, host, ...(capMicros !== undefined && { capMicros }) },
  }
  const access = accessRow(env, grant, token, nowMs)
  const stored: StoredGrant = {
    family: hashOf(token.family),
    hash: hashOf(token.secret),
    sinceMs: nowMs,
    rotated: [],
    live: { [access.id]: Date.parse(access.expiresAt) },
  }
  const ttl = Math.ceil((Date.parse(expiresAt) + deadTokenKeptMs) / 1000)
  const use = changeInput({
    ...itemAt<keyof typeof storedCode.shape>(codesTable(env), { id }),
    update: 'SET #usedMs = :now',
    condition: 'attribute_exists(#id) AND attribute_not_exists(#usedMs)',
    values: { ':now': nowMs },
  })
  const written = await transact([
    { Update: use },
    { Put: putInput(tokensTable(env), 'id', { ...grant, ...stored, hasMinted: true, ttl }) },
    putAccess(env, access),
    putMinted(env, grant, stored.live),
    live.take(userId, grantId, nowMs),
  ])
  if (written.done) return { kind: 'issued', issued: issued(env, grant, token, access.expiresAt), first: true }
  const isFull = written.refused[4] !== undefined && written.refused[0] === undefined
  return isFull && !(await live.recount(userId, nowMs)) ? { kind: 'full' } : lost
}

/** The next tokens of a family, unless a parallel request made them or the grant was revoked. */
async function rotate(
  env: Env,
  grant: PatRecord,
  stored: StoredGrant,
  token: RefreshToken,
  nowMs: number,
): Promise<GrantOutcome | typeof lost> {
  const next = { ...token, secret: secretOf(32) }
  const access = accessRow(env, grant, next, nowMs)
  const alive = Object.entries(stored.live).filter(([, endsMs]) => endsMs > nowMs)
  const live = { ...Object.fromEntries(alive), [access.id]: Date.parse(access.expiresAt) }
  const left = { hash: stored.hash, atMs: nowMs, next: mask(token.secret, next.secret) }
  const state: RefreshState = {
    hash: hashOf(next.secret),
    sinceMs: nowMs,
    rotated: [...inGrace(stored, nowMs), left],
  }
  const { update, values } = setting({ ...state, live, lastUsedAt: iso(nowMs) })
  const written = await transact([
    {
      Update: changeInput({
        ...itemAt<keyof StoredGrant | keyof PatRecord>(tokensTable(env), { id: grant.id }),
        update,
        condition: 'attribute_not_exists(#revokedAt) AND #hash = :old',
        values: { ...values, ':old': stored.hash },
      }),
    },
    putAccess(env, access),
    putMinted(env, grant, live),
  ])
  return written.done ? { kind: 'issued', issued: issued(env, grant, next, access.expiresAt), first: false } : lost
}

/** The newest tokens that an earlier refresh token leads to, successor by successor. */
function follow(env: Env, grant: PatRecord, stored: StoredGrant, token: RefreshToken): GrantOutcome {
  let { secret } = token
  for (const { hash, next } of stored.rotated) if (hash === hashOf(secret)) secret = mask(secret, next)
  const newest = { ...token, secret }
  const endsMs = stored.live[hashedId('tok', accessTokenOf(env, newest))]
  if (endsMs === undefined) return { kind: 'invalid' }
  return { kind: 'issued', issued: issued(env, grant, newest, iso(endsMs)), first: false }
}

async function read(env: Env, id: string) {
  const item = await get(tokensTable(env), { id })
  if (!item?.family) return null
  return { grant: readToken(item), stored: parse(storedGrant, item) }
}

async function readOwn(env: Env, text: string) {
  const token = readRefresh(text)
  const found = token && (await read(env, token.grantId))
  return found && sameText(found.stored.family, hashOf(token.family)) ? { ...found, token } : null
}

/** Derived from the refresh token, so repeated requests get the same access token. */
const accessTokenOf = (env: Env, { grantId, secret }: RefreshToken): string =>
  formatPat(env.settings().cell, createHash('sha512').update(`access ${grantId} ${secret}`).digest())

function accessRow(env: Env, grant: PatRecord, token: RefreshToken, nowMs: number): PatRecord {
  const plaintext = accessTokenOf(env, token)
  return {
    ...grant,
    id: hashedId('tok', plaintext),
    tokenPrefix: plaintext.slice(0, prefixLength),
    mintedBy: grant.id,
    createdAt: iso(nowMs),
    expiresAt: iso(Math.min(nowMs + accessTtlMs, Date.parse(grant.expiresAt))),
    lastUsedAt: null,
  }
}

const issued = (env: Env, grant: PatRecord, token: RefreshToken, accessEndsAt: string): IssuedTokens => ({
  grant,
  accessToken: accessTokenOf(env, token),
  accessEndsAt,
  refreshToken: formatRefresh(token),
})

/** Expires soon after the token, because a day has many of them. */
const putAccess = (env: Env, row: PatRecord) => ({
  Put: putInput(tokensTable(env), 'id', { ...row, ttl: Math.ceil((Date.parse(row.expiresAt) + accessTtlMs) / 1000) }),
})

/** Replaces the list by which a revocation finds the grant's tokens. */
const putMinted = (env: Env, grant: PatRecord, live: StoredGrant['live']) => ({
  Put: {
    TableName: tokensTable(env),
    Item: toItem({
      id: mintedId(grant.id),
      ...Object.fromEntries(Object.keys(live).map((id) => [id, true])),
      ttl: Math.ceil((Date.parse(grant.expiresAt) + deadTokenKeptMs) / 1000),
    }),
  },
})

const secretOf = (bytes: number): string => randomBytes(bytes).toString('base64url')

const busy = () => conflict('Others are refreshing this token. Try again.')
