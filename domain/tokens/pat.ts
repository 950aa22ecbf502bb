import * as z from 'zod'
import type { UserActor } from '../actor.ts'
import { conflict, forbidden, invalid } from '../errors.ts'
import { unsignedMicros } from '../money.ts'
import { name } from '../name.ts'
import { isSubset, type Scope, scope } from '../scopes.ts'
import { spends } from '../spending-scope.ts'
import { dayMs, hourMs, iso } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { isCapped, nothingSpent, type TokenCaps, type TokenSpent, tighter } from './caps.ts'
import { maxClientName } from './client-name.ts'

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Characters of the plaintext that are safe to show. */
export const prefixLength = 12

export const patShape = /^oss_[0-9A-Za-z]{36}$/

export const isTokenId = (id: string): boolean => /^tok_[0-9A-Za-z]{22}$/.test(id)

/** Tokens an account may have before its tokens can make no more; a revocation ends them all in one request. */
export const maxTokens = 500

/** Refuses one more live token. */
export const tooManyLive = () =>
  conflict(
    `Your account has ${maxTokens} live tokens and connected programs, which is the limit. Revoke the ones that nothing uses on the tokens page (or with DELETE /tokens?id=…), then try again.`,
  )

export const tokenName = name('Give the token a name.').meta({ example: 'laptop' })

/** Most that a token may spend in all, or in a day or month, µUSD. */
export const tokenCap = unsignedMicros.max(1_000_000_000)

/** A Personal Access Token as its owner sees it. The plaintext is never part of it. */
export const pat = z
  .object({
    id: z.string().meta({ example: 'tok_3QZ6q5b1mS0x5rjS8uWb1A' }),
    name: z.string(),
    tokenPrefix: z.string().meta({ example: 'oss_00Ab12Cd' }),
    scopes: z.array(scope),
    status: z.enum(['active', 'expired', 'revoked']),
    expiresAt: timestamp,
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().meta({
      description:
        'The last request that it was good for, within five minutes; of a connected app, of any of its tokens, or its renewal.',
      example: '2026-11-20T12:00:00.000Z',
    }),
    lastClient: z.string().max(maxClientName).optional().meta({
      description:
        'The name of the program that used it last, as one line of plain text: `clientInfo` of MCP, or `User-Agent`. The name is not verified.',
      example: 'Cursor',
    }),
    revokedAt: timestamp.nullable(),
    replaces: z.string().optional(),
    capMicros: tokenCap.optional().meta({
      description: 'Most that it may spend on model calls in all, µUSD; no cap of its own when absent.',
      example: 5_000_000,
    }),
    dailyCapMicros: tokenCap.optional().meta({
      description: 'Most that it may spend on model calls in a UTC day, µUSD; no cap of its own when absent.',
      example: 500_000,
    }),
    monthlyCapMicros: tokenCap.optional().meta({
      description: 'Most that it may spend on model calls in a calendar month (UTC), µUSD; no cap when absent.',
      example: 3_000_000,
    }),
    spentMicros: unsignedMicros.optional().meta({
      description: 'Its total spending and holds, µUSD; present on tokens with `api:llm`.',
      example: 1_200_000,
    }),
    spentTodayMicros: unsignedMicros.optional().meta({
      description: 'The part of this UTC day, µUSD.',
      example: 100_000,
    }),
    spentThisMonthMicros: unsignedMicros.optional().meta({
      description: 'The part of this calendar month (UTC), µUSD.',
      example: 800_000,
    }),
    app: z
      .object({
        clientId: z.string().meta({
          description: 'How the app names itself to the authorization server.',
          example: 'https://app.example.com/client.json',
        }),
        host: z.string().meta({ description: 'Where it lives, or where its answer went.', example: 'claude.ai' }),
        capMicros: tokenCap
          .optional()
          .meta({ description: 'Most that it may spend in all, µUSD.', example: 5_000_000 }),
      })
      .optional()
      .meta({
        description:
          'The program that was connected in a browser and renews its tokens by itself; `name` is what it calls itself.',
      }),
  })
  .meta({ id: 'Pat' })

export type Pat = z.infer<typeof pat>

export const mintedPat = pat
  .extend({ plaintext: z.string().meta({ description: 'The full bearer token. Shown once, never again.' }) })
  .meta({ id: 'MintedPat' })

/** The stored token: its hash is the id, and its plaintext is stored nowhere. */
export interface PatRecord extends Omit<Pat, 'status'> {
  userId: string
  /** The token that minted this one; revoking it revokes this one too. */
  mintedBy?: string
  /** The token that took over from this one. */
  replacedBy?: string
  /** The first of those that it took over from: what it spends goes on being counted there. */
  spendsAs?: string
  /**
   * The counts of the tokens above it, nearest first: what it spends counts there too. Tokens made before this was kept
   * have none.
   */
  spendsUnder?: string[]
}

/** A token's count of what model calls spend, and how far it may go. */
export interface TokenCount {
  /** The token that has the count. */
  tokenId: string
  caps: TokenCaps
  /** The token's name. */
  name: string
}

/** The counts that a token's model calls add to: the token's own, and those of the tokens above it. */
export interface Budget extends TokenCount {
  above: readonly TokenCount[]
}

/** All counts that a call moves, its token's own first. */
export const tokenCountsOf = ({ above, ...own }: Budget): readonly TokenCount[] => [own, ...above]

/** Counts above a token: one call moves them all in one transaction, together with the wallet. */
export const maxCountsAbove = 8

/** A token's caps; a connected app's is what was allowed to it in all, and what was set since. */
export const capsOf = ({ capMicros, dailyCapMicros, monthlyCapMicros, app }: Omit<PatRecord, 'id'>): TokenCaps => ({
  total: capMicros ?? app?.capMicros ?? null,
  day: dailyCapMicros ?? null,
  month: monthlyCapMicros ?? null,
})

/** The token that has the count of this one. A token that was rerolled and the one that took over share it. */
export const countIdOf = (record: PatRecord): string => record.spendsAs ?? record.id

/** The tokens that a token comes from: the one that minted it, and the one it took over from. */
export const makersOf = ({ mintedBy, replaces }: PatRecord): string[] =>
  [mintedBy, replaces].filter((id) => id !== undefined)

/** A token's count. Caps of `first`, whose id the count has, bind every token that shares it. */
export const countOf = (record: PatRecord, first: PatRecord = record): TokenCount => ({
  tokenId: countIdOf(record),
  caps: tighter(capsOf(record), capsOf(first)),
  name: record.name,
})

/** Whether what a token has begun must end: that its time is up, or an app's next token has come, ends nothing. */
export const isRevoked = (record: PatRecord | null): boolean => record === null || record.revokedAt !== null

export const statusOf = (record: PatRecord, nowMs: number): Pat['status'] =>
  record.revokedAt ? 'revoked' : Date.parse(record.expiresAt) <= nowMs ? 'expired' : 'active'

/** Whether a row is one of the short-lived tokens of a connected app, whose own row stands for them all. */
export const isAppAccess = ({ app, mintedBy }: PatRecord): boolean => app !== undefined && mintedBy !== undefined

/** A connected app with what its short-lived tokens were last used for: they are the ones that its program sends. */
function withLastUse(app: PatRecord, access: readonly PatRecord[]): PatRecord {
  const lastAt = ({ lastUsedAt }: PatRecord) => lastUsedAt ?? ''
  const last = access.reduce((latest, other) => (lastAt(other) > lastAt(latest) ? other : latest), app)
  const lastClient = last.lastClient ?? app.lastClient
  return { ...app, lastUsedAt: last.lastUsedAt, ...(lastClient && { lastClient }) }
}

/** The tokens that are listed: a connected app is one, whatever it renewed its own into. */
export const listed = (all: readonly PatRecord[]): PatRecord[] =>
  all
    .filter((token) => !isAppAccess(token))
    .map((token) =>
      token.app
        ? withLastUse(
            token,
            all.filter((other) => isAppAccess(other) && other.mintedBy === token.id),
          )
        : token,
    )

/** Whether it can spend from the wallet by itself. */
export const maySpend = ({ scopes }: Pick<PatRecord, 'scopes'>): boolean => scopes.some(spends)

/** @param spent what each token has spent or holds, by its id, where that was read */
export function showPat(record: PatRecord, nowMs: number, spent?: Readonly<Record<string, TokenSpent>>): Pat {
  const { userId: _, mintedBy: __, replacedBy: ___, spendsAs: ____, spendsUnder: _____, ...shown } = record
  const { total, day, month } = spent?.[countIdOf(record)] ?? nothingSpent
  const counts = { spentMicros: total, spentTodayMicros: day, spentThisMonthMicros: month }
  return { ...shown, status: statusOf(record, nowMs), ...(spent && maySpend(record) && counts) }
}

/** CRC-32 (IEEE 802.3) of an ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

function checksum(body: string): string {
  let value = crc32(body)
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = base62.charAt(value % 62) + text
    value = Math.floor(value / 62)
  }
  return text
}

/**
 * The plaintext of a new token: `oss_`, two characters of the cell, 28 random ones, six of checksum.
 * @param random at least 64 random bytes; those ≥ 248 are skipped so that every character is equally likely
 */
export function formatPat(cell: string, random: Uint8Array): string {
  const picked = [...random].filter((byte) => byte < 248).slice(0, 28)
  if (picked.length < 28 || !/^[0-9A-Za-z]{2}$/.test(cell))
    throw new RangeError('formatPat: bad cell or too little randomness')
  const body = `oss_${cell}${picked.map((byte) => base62.charAt(byte % 62)).join('')}`
  return body + checksum(body)
}

/** True when the text has a token's shape and checksum, so a typo is refused without a look-up. */
export const isPat = (text: string): boolean => patShape.test(text) && checksum(text.slice(0, -6)) === text.slice(-6)

/** Tokens one report is read for. */
const mostInReport = 10

/** Everything in a report that has a token's shape and checksum, whatever is around it. */
export const findTokens = (report: string): string[] =>
  [...new Set(report.match(/oss_[0-9A-Za-z]{36}/g))].filter(isPat).slice(0, mostInReport)

/** Days that a token lives when it is not said how long, and not longer than the token that mints it. */
export const defaultExpiryDays = 90

interface NewToken {
  name: string
  scopes: Scope[]
  expiresInDays?: number | undefined
  capMicros?: number | undefined
  dailyCapMicros?: number | undefined
  monthlyCapMicros?: number | undefined
}

/** The fields of a token that cap what it spends. */
export const capFields = ['capMicros', 'dailyCapMicros', 'monthlyCapMicros'] as const

const capsIn = (from: { readonly [field in (typeof capFields)[number]]?: number | undefined }) =>
  Object.fromEntries(capFields.flatMap((field) => (from[field] === undefined ? [] : [[field, from[field]]])))

export type NewPat = Omit<PatRecord, 'id' | 'tokenPrefix'>

/**
 * A new token's record. A session may grant anything; a token hands on its own scopes only, and for its own life at
 * most. One that may spend counts under the token that asks too, whose `budget` is given; a capped token hands on no
 * spending.
 * @throws forbidden when a token asks for more than it has; validation when it asks for a longer life than its own, or
 * a cap that means nothing
 */
export function decideMint(actor: UserActor, asked: NewToken, nowMs: number, budget?: Budget): NewPat {
  const askedEnd = nowMs + (asked.expiresInDays ?? defaultExpiryDays) * dayMs
  if (actor.kind === 'pat' && !isSubset(asked.scopes, actor.scopes)) {
    throw forbidden(
      'A token can only mint tokens with scopes it has itself. Ask for fewer, or mint it in the dashboard.',
    )
  }
  if (asked.expiresInDays !== undefined && askedEnd > ownEnd(actor)) {
    const most = Math.floor((ownEnd(actor) - nowMs) / dayMs)
    const less = most > 0 ? `Ask for ${most} at most, or leave it out` : 'Leave it out'
    throw invalid('expiresInDays', `The token that asks ends before that. ${less}: the new one then ends with it.`)
  }
  checkMayCap(asked, asked)
  if (isBound(budget) && maySpend(asked))
    throw forbidden('A token with a spending cap cannot hand on api:llm. Mint this one in the dashboard.')
  return {
    userId: actor.userId,
    name: asked.name,
    scopes: [...new Set(asked.scopes)],
    ...capsIn(asked),
    createdAt: iso(nowMs),
    expiresAt: iso(Math.min(askedEnd, ownEnd(actor))),
    lastUsedAt: null,
    revokedAt: null,
    ...(actor.kind === 'pat' && { mintedBy: actor.tokenId }),
    ...(maySpend(asked) && budget && { spendsUnder: countsUnder([budget]) }),
  }
}

const isBound = (budget: Budget | undefined): boolean =>
  budget !== undefined && tokenCountsOf(budget).some(({ caps }) => isCapped(caps))

/** The counts above a token that is made under these budgets, but for its `own`. @throws forbidden at too many */
function countsUnder(budgets: readonly (Budget | undefined)[], own?: string): string[] {
  const counts = budgets.flatMap((budget) => (budget ? tokenCountsOf(budget) : []))
  return checkDepth([...new Set(counts.map(({ tokenId }) => tokenId))].filter((id) => id !== own))
}

/** @throws forbidden when a call would move more counts than it can */
export function checkDepth(above: string[]): string[] {
  if (above.length <= maxCountsAbove) return above
  throw forbidden(`A token has ${maxCountsAbove} tokens above it at most. Mint this one in the dashboard.`)
}

/** Whether a change lets a token spend more than its caps do: one is raised, or taken away. */
export function raisesCap(
  { total, day, month }: TokenCaps,
  to: Readonly<Partial<Record<(typeof capFields)[number], number | null>>>,
): boolean {
  const present = { capMicros: total, dailyCapMicros: day, monthlyCapMicros: month }
  return capFields.some((field) => {
    const [from, wanted] = [present[field], to[field]]
    return from !== null && wanted !== undefined && (wanted === null || wanted > from)
  })
}

/** @throws validation when the token spends nothing that a cap could bound */
export function checkMayCap(
  token: Pick<PatRecord, 'scopes'>,
  asked: { readonly [field in (typeof capFields)[number]]?: number | null | undefined },
): void {
  const capped = capFields.find((field) => asked[field] !== undefined)
  if (capped && !maySpend(token))
    throw invalid(capped, 'a token without the scope api:llm spends nothing. Leave it out, or add the scope.')
}

/**
 * The token that takes over from `old`: its name, scopes and expiry, though a token's own work never outlives it. It
 * counts as made by the token that asked, or else by the one that made `old`, and ends with it. Its spending counts
 * where the spending of `old` does, and under the token that asked; a capped token may reroll no other token that
 * spends.
 * @throws forbidden for a token that the asking one may not manage, or beyond its scopes; conflict for a token that has
 * ended or was rerolled
 */
export function decideReroll(
  actor: UserActor,
  old: PatRecord,
  graceHours: number,
  nowMs: number,
  budgets: { old?: Budget | undefined; asking?: Budget | undefined } = {},
): { next: NewPat; endsAt: string } {
  const within = actor.kind === 'session' || actor.tokenId === old.id || isSubset(old.scopes, actor.scopes)
  if (!within || !mayManage(actor, old))
    throw forbidden(
      'A token can only reroll itself and what it minted, or with api:tokens.write what its own scopes cover. Reroll this one in the dashboard.',
    )
  if (isBound(budgets.asking) && maySpend(old))
    throw forbidden('A token with a spending cap rerolls no other with api:llm. Reroll this one in the dashboard.')
  if (old.app) throw conflict('A connected app renews its tokens by itself. Revoke it, and connect again.')
  if (old.replacedBy) throw conflict('This token was rerolled already. Reroll the one that took over from it.')
  const status = statusOf(old, nowMs)
  if (status !== 'active') throw conflict(`This token is ${status}. Mint a new one.`)
  const oldEnd = Date.parse(old.expiresAt)
  const mintedBy = actor.kind === 'pat' ? actor.tokenId : old.mintedBy
  const next: NewPat = {
    userId: old.userId,
    name: old.name,
    scopes: old.scopes,
    createdAt: iso(nowMs),
    expiresAt: iso(Math.min(oldEnd, ownEnd(actor))),
    lastUsedAt: null,
    revokedAt: null,
    ...(mintedBy && { mintedBy }),
    replaces: old.id,
    ...(maySpend(old) && {
      spendsAs: countIdOf(old),
      spendsUnder: countsUnder([budgets.old, budgets.asking], countIdOf(old)),
    }),
    ...capsIn(old),
  }
  return { next, endsAt: iso(Math.min(oldEnd, nowMs + graceHours * hourMs)) }
}

const ownEnd = (actor: UserActor): number =>
  actor.kind === 'pat' ? Date.parse(actor.expiresAt) : Number.POSITIVE_INFINITY

/**
 * Whether the actor sees a token of its account and may revoke it: a session any, a token itself and what it minted,
 * one with `api:tokens.write` any.
 */
export const mayManage = (actor: UserActor, token: Pick<PatRecord, 'id' | 'mintedBy'>): boolean =>
  actor.kind === 'session' ||
  actor.scopes.includes('api:tokens.write') ||
  actor.tokenId === token.id ||
  actor.tokenId === token.mintedBy
