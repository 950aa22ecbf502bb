import type { UserActor } from '../actor.ts'
import { conflict, forbidden } from '../errors.ts'
import { isSubset, type Scope } from '../scopes.ts'
import { dayMs, hourMs, iso } from '../time.ts'
import { type PatRecord, statusOf } from './pat.ts'

export interface MintAsk {
  name: string
  scopes: Scope[]
  expiresInDays: number
}

type NewPat = Omit<PatRecord, 'id' | 'tokenPrefix'>

/**
 * A new token's record. A session may grant anything; a token hands on its own scopes only and never outlives itself.
 * @throws forbidden when a token asks for more than it has
 */
export function decideMint(actor: UserActor, ask: MintAsk, nowMs: number): NewPat {
  const asked = nowMs + ask.expiresInDays * dayMs
  if (actor.kind === 'pat' && !isSubset(ask.scopes, actor.scopes)) {
    throw forbidden(
      'A token can only mint tokens with scopes it has itself. Ask for fewer, or mint it in the dashboard.',
    )
  }
  return {
    userId: actor.userId,
    name: ask.name,
    scopes: [...new Set(ask.scopes)],
    createdAt: iso(nowMs),
    expiresAt: iso(Math.min(asked, ownEnd(actor))),
    lastUsedAt: null,
    revokedAt: null,
    ...(actor.kind === 'pat' && { mintedBy: actor.tokenId }),
  }
}

/**
 * The token that takes over from `old`: its name, scopes and expiry, though a token's own work never outlives it. It
 * counts as made by the token that asked, or else by the one that made `old`, and ends with it.
 * @throws forbidden beyond the asking token's scopes; conflict for a token that has ended or was rerolled
 */
export function decideReroll(
  actor: UserActor,
  old: PatRecord,
  graceHours: number,
  nowMs: number,
): { next: NewPat; endsAt: string } {
  const within = actor.kind === 'session' || actor.tokenId === old.id || isSubset(old.scopes, actor.scopes)
  if (!within)
    throw forbidden(
      'A token can only reroll itself and tokens within its own scopes. Reroll this one in the dashboard.',
    )
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
  }
  return { next, endsAt: iso(Math.min(oldEnd, nowMs + graceHours * hourMs)) }
}

const ownEnd = (actor: UserActor): number =>
  actor.kind === 'pat' ? Date.parse(actor.expiresAt) : Number.POSITIVE_INFINITY

/** True when the actor may revoke the token: a session any of its own, a token itself and what its scopes cover. */
export const mayRevoke = (actor: UserActor, token: Pick<PatRecord, 'id' | 'scopes'>): boolean =>
  actor.kind === 'session' ||
  actor.tokenId === token.id ||
  actor.scopes.includes('api:tokens.write') ||
  isSubset(token.scopes, actor.scopes)
