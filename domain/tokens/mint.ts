import type { UserActor } from '../actor.ts'
import { forbidden } from '../errors.ts'
import { isSubset, type Scope } from '../scopes.ts'
import { dayMs, iso } from '../time.ts'
import type { PatRecord } from './pat.ts'

export interface MintAsk {
  name: string
  scopes: Scope[]
  expiresInDays: number
}

/**
 * A new token's record. A session may grant anything; a token hands on its own scopes only and never outlives itself.
 * @throws forbidden when a token asks for more than it has
 */
export function decideMint(actor: UserActor, ask: MintAsk, nowMs: number): Omit<PatRecord, 'id' | 'tokenPrefix'> {
  const asked = nowMs + ask.expiresInDays * dayMs
  if (actor.kind === 'pat' && !isSubset(ask.scopes, actor.scopes)) {
    throw forbidden('A token can only mint tokens with scopes it has itself.')
  }
  const expires = actor.kind === 'pat' ? Math.min(asked, Date.parse(actor.expiresAt)) : asked
  return {
    userId: actor.userId,
    name: ask.name,
    scopes: [...new Set(ask.scopes)],
    createdAt: iso(nowMs),
    expiresAt: iso(expires),
    lastUsedAt: null,
    revokedAt: null,
    ...(actor.kind === 'pat' && { mintedBy: actor.tokenId }),
  }
}

/** True when the actor may revoke the token: a session any of its own, a token itself and what its scopes cover. */
export const mayRevoke = (actor: UserActor, token: Pick<PatRecord, 'id' | 'scopes'>): boolean =>
  actor.kind === 'session' ||
  actor.tokenId === token.id ||
  actor.scopes.includes('api:tokens.write') ||
  isSubset(token.scopes, actor.scopes)
