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

/** Bounded so that one request can revoke them all. */
export const maxTokens = 500

export const tooManyLive = () =>
  conflict(
    `Your account has ${maxTokens} live tokens and connected programs, which is the limit. Revoke the ones that nothing uses on the tokens page (or with DELETE /tokens?id=…), then try again.`,
  )

export const tokenName = name('Give the token a name.').meta({ example: 'laptop' })

/** µUSD. */
export const tokenCap = unsignedMicros.max(1_000_000_000)

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
        'The time of the last successful request, to within five minutes. For a connected app: of any of its ' +
        'tokens, or of a renewal.',
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
      description: 'Maximum total spending on model calls, in µUSD; absent without a cap.',
      example: 5_000_000,
    }),
    dailyCapMicros: tokenCap.optional().meta({
      description: 'Maximum spending on model calls in a UTC day, in µUSD; absent without a cap.',
      example: 500_000,
    }),
    monthlyCapMicros: tokenCap.optional().meta({
      description: 'Maximum spending on model calls in a calendar month (UTC), in µUSD; absent without a cap.',
      example: 3_000_000,
    }),
    spentMicros: unsignedMicros.optional().meta({
      description: 'Its total spending and holds, in µUSD; only on tokens with `api:llm`.',
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
        host: z.string().meta({
          description: 'The host of the app’s id, or of the address that got its code.',
          example: 'claude.ai',
        }),
        capMicros: tokenCap.optional().meta({ description: 'Maximum total spending, in µUSD.', example: 5_000_000 }),
      })
      .optional()
      .meta({
        description:
          'The program that was connected in a browser and renews its tokens by itself. It chose its `name` itself.',
      }),
  })
  .meta({ id: 'Pat' })

export type Pat = z.infer<typeof pat>

export const mintedPat = pat
  .extend({ plaintext: z.string().meta({ description: 'The full bearer token. Shown once, never again.' }) })
  .meta({ id: 'MintedPat' })

/** The hash is the id; the plaintext is stored nowhere. */
export interface PatRecord extends Omit<Pat, 'status'> {
  userId: string
  /** The token that minted this one; revoking it revokes this one too. */
  mintedBy?: string
  replacedBy?: string
  /** The first token in a chain of rerolls; all share its count of spending. */
  spendsAs?: string
  /**
   * Ids of the counts above it, nearest first; its spending counts there too. Tokens made before this field have none.
   */
  spendsUnder?: string[]
}

export interface TokenCount {
  tokenId: string
  caps: TokenCaps
  name: string
}

/** The counts that a token's model calls add to. */
export interface Budget extends TokenCount {
  above: readonly TokenCount[]
}

export const tokenCountsOf = ({ above, ...own }: Budget): readonly TokenCount[] => [own, ...above]

/** Bounded because one transaction moves them all together with the wallet. */
export const maxCountsAbove = 8

/** A connected app's total is set by a change of the token, else by its consent. */
const capsOf = ({ capMicros, dailyCapMicros, monthlyCapMicros, app }: Omit<PatRecord, 'id'>): TokenCaps => ({
  total: capMicros ?? app?.capMicros ?? null,
  day: dailyCapMicros ?? null,
  month: monthlyCapMicros ?? null,
})

/** A rerolled token and its successor share one count. */
export const countIdOf = (record: PatRecord): string => record.spendsAs ?? record.id

export const makersOf = ({ mintedBy, replaces }: PatRecord): string[] =>
  [mintedBy, replaces].filter((id) => id !== undefined)

/** The caps of `first`, the first token of the chain, bind every token that shares its count. */
export const countOf = (record: PatRecord, first: PatRecord = record): TokenCount => ({
  tokenId: countIdOf(record),
  caps: tighter(capsOf(record), capsOf(first)),
  name: record.name,
})

/** True when the work of a token must end. Expiry and an app's next token end nothing. */
export const isRevoked = (record: PatRecord | null): boolean => record === null || record.revokedAt !== null

export const statusOf = (record: PatRecord, nowMs: number): Pat['status'] =>
  record.revokedAt ? 'revoked' : Date.parse(record.expiresAt) <= nowMs ? 'expired' : 'active'

/** True for a short-lived token of a connected app; the app's own row stands for all of them. */
export const isAppAccess = ({ app, mintedBy }: PatRecord): boolean => app !== undefined && mintedBy !== undefined

/** A connected app with the last use of its short-lived tokens, the ones its program sends. */
function withLastUse(app: PatRecord, access: readonly PatRecord[]): PatRecord {
  const lastAt = ({ lastUsedAt }: PatRecord) => lastUsedAt ?? ''
  const last = access.reduce((latest, other) => (lastAt(other) > lastAt(latest) ? other : latest), app)
  const lastClient = last.lastClient ?? app.lastClient
  return { ...app, lastUsedAt: last.lastUsedAt, ...(lastClient && { lastClient }) }
}

/** A connected app is listed once, without its short-lived tokens. */
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

export const maySpend = ({ scopes }: Pick<PatRecord, 'scopes'>): boolean => scopes.some(spends)

/** @param spent spent and held µUSD by token id, where known */
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

/** Checks shape and checksum, so that a typo is refused without a look-up. */
export const isPat = (text: string): boolean => patShape.test(text) && checksum(text.slice(0, -6)) === text.slice(-6)

const mostInReport = 10

/** Finds the tokens in a report, whatever text surrounds them. */
export const findTokens = (report: string): string[] =>
  [...new Set(report.match(/oss_[0-9A-Za-z]{36}/g))].filter(isPat).slice(0, mostInReport)

/** Default life in days, bounded by the life of the minting token. */
export const defaultExpiryDays = 90

interface NewToken {
  name: string
  scopes: Scope[]
  expiresInDays?: number | undefined
  capMicros?: number | undefined
  dailyCapMicros?: number | undefined
  monthlyCapMicros?: number | undefined
}

export const capFields = ['capMicros', 'dailyCapMicros', 'monthlyCapMicros'] as const

const capsIn = (from: { readonly [field in (typeof capFields)[number]]?: number | undefined }) =>
  Object.fromEntries(capFields.flatMap((field) => (from[field] === undefined ? [] : [[field, from[field]]])))

export type NewPat = Omit<PatRecord, 'id' | 'tokenPrefix'>

/**
 * A session may grant anything; a token its own scopes for its own life at most. A spending token counts under the
 * asking token, and a capped token mints no spending token.
 * @throws forbidden for more than the asking token has; validation for a longer life, or a cap without effect
 */
export function decideMint(actor: UserActor, request: NewToken, nowMs: number, budget?: Budget): NewPat {
  const askedEnd = nowMs + (request.expiresInDays ?? defaultExpiryDays) * dayMs
  if (actor.kind === 'pat' && !isSubset(request.scopes, actor.scopes)) {
    throw forbidden(
      'A token can only mint tokens with scopes it has itself. Ask for fewer, or mint it in the dashboard.',
    )
  }
  if (request.expiresInDays !== undefined && askedEnd > ownEnd(actor)) {
    const most = Math.floor((ownEnd(actor) - nowMs) / dayMs)
    const less = most > 0 ? `Ask for ${most} at most, or leave it out` : 'Leave it out'
    throw invalid('expiresInDays', `This token ends before that. ${less}: the new one then ends with it.`)
  }
  checkMayCap(request, request)
  if (isBound(budget) && maySpend(request))
    throw forbidden(
      'A token with a spending cap cannot give api:llm to another token. Create this one in the dashboard.',
    )
  return {
    userId: actor.userId,
    name: request.name,
    scopes: [...new Set(request.scopes)],
    ...capsIn(request),
    createdAt: iso(nowMs),
    expiresAt: iso(Math.min(askedEnd, ownEnd(actor))),
    lastUsedAt: null,
    revokedAt: null,
    ...(actor.kind === 'pat' && { mintedBy: actor.tokenId }),
    ...(maySpend(request) && budget && { spendsUnder: countsUnder([budget]) }),
  }
}

const isBound = (budget: Budget | undefined): boolean =>
  budget !== undefined && tokenCountsOf(budget).some(({ caps }) => isCapped(caps))

/** The counts above a token with these budgets, without its `own`. @throws forbidden at too many */
function countsUnder(budgets: readonly (Budget | undefined)[], own?: string): string[] {
  const counts = budgets.flatMap((budget) => (budget ? tokenCountsOf(budget) : []))
  return checkDepth([...new Set(counts.map(({ tokenId }) => tokenId))].filter((id) => id !== own))
}

/** @throws forbidden when a call would move too many counts */
export function checkDepth(above: string[]): string[] {
  if (above.length <= maxCountsAbove) return above
  throw forbidden(`A chain of tokens has at most ${maxCountsAbove} tokens. Create this one in the dashboard.`)
}

/** True when a change raises or removes a cap. */
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

/** @throws validation when the token cannot spend */
export function checkMayCap(
  token: Pick<PatRecord, 'scopes'>,
  asked: { readonly [field in (typeof capFields)[number]]?: number | null | undefined },
): void {
  const capped = capFields.find((field) => asked[field] !== undefined)
  if (capped && !maySpend(token))
    throw invalid(capped, 'a token without the scope api:llm spends nothing. Leave it out, or add the scope.')
}

/**
 * Keeps the name, scopes and expiry of `old`, but never outlives the asking token. It is made by, and ends with, the
 * token that asked, or else the maker of `old`. It shares the count of `old` and also counts under the asking token. A
 * capped token may reroll no other token that spends.
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
    throw forbidden(
      'A token with a spending cap cannot reroll another token that has api:llm. Reroll this one in the dashboard.',
    )
  if (old.app) throw conflict('A connected app renews its tokens by itself. Revoke it, and connect again.')
  if (old.replacedBy) throw conflict('This token was already rerolled. Reroll its successor.')
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

/** A token manages itself and the tokens that it minted; a session or `api:tokens.write` manages any of the account. */
export const mayManage = (actor: UserActor, token: Pick<PatRecord, 'id' | 'mintedBy'>): boolean =>
  actor.kind === 'session' ||
  actor.scopes.includes('api:tokens.write') ||
  actor.tokenId === token.id ||
  actor.tokenId === token.mintedBy
