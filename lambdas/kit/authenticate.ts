import type { Actor, Audience } from '../../domain/actor.ts'
import { forbidden, rateLimited, unauthorized } from '../../domain/errors.ts'
import type { Basics, Ports } from '../../domain/ports.ts'
import { covers } from '../../domain/scopes.ts'
import type { MachineClaims } from '../../domain/tokens/machine-token.ts'
import type { Admission } from '../../domain/tokens/ports.ts'
import { type Counts, type LimitClass, readWindow } from '../../domain/tokens/window.ts'
import type { AnyOperation } from './operation.ts'
import type { Refusals } from './refusals.ts'

/** The ports authentication itself needs, by kind of caller; an area without one cannot admit that kind. */
export type AuthPorts = Partial<Pick<Ports, 'tokens' | 'sessions' | 'instances' | 'machineTokens' | 'rates'>> & Basics

export interface Asking {
  headers: Readonly<Record<string, string>>
  /** The caller's address; an IPv6 address counts by its /64. */
  ip: string
  method: string
}

export interface Authenticated {
  actor: Actor
  /** Counts after the admission; null where nothing was counted here. */
  counts: Counts | null
  /** A machine's claims, so that its token can be renewed. */
  claims: MachineClaims | null
}

export const sessionCookieName = (production: boolean) => (production ? '__Secure-service.session' : 'service.session')

/**
 * Who is asking, in at most one store call that also counts the window.
 * A bearer is judged as a bearer only: a bad one never falls back to the cookie.
 * @throws unauthorized, forbidden, rate-limited
 */
export async function authenticate(
  one: AnyOperation,
  asking: Asking,
  deps: AuthPorts,
  now: number,
  refusals: Refusals,
): Promise<Authenticated> {
  if (one.sameOrigin) checkOrigin(asking, deps)
  const bearer = readBearer(asking.headers)
  if (one.auth === 'none' || one.auth === 'signed') return admitAnonymous(one, asking, deps, now, refusals)
  if (one.auth === 'llm' || one.auth === 'files' || one.auth === 'agent') {
    return admitMachine(one, one.auth, bearer ?? asking.headers['x-api-key'] ?? '', deps, now, refusals)
  }
  if (bearer === null) return admitSession(one, asking, deps, now, refusals)
  if (one.auth === 'session')
    throw bearer.startsWith('oss_') ? forbidden('Only a signed-in browser session may do this.') : unauthorized()
  return admitPat(one, bearer, deps, now, refusals)
}

/** The token of an Authorization header; null when there is no such header. @throws unauthorized on another scheme */
function readBearer(headers: Readonly<Record<string, string>>): string | null {
  const value = headers.authorization
  if (value === undefined) return null
  const found = /^bearer +(\S+)$/i.exec(value.trim())
  if (!found?.[1]) throw unauthorized()
  return found[1]
}

async function admitPat(
  one: AnyOperation,
  bearer: string,
  deps: AuthPorts,
  now: number,
  refusals: Refusals,
): Promise<Authenticated> {
  const admission = await admit(one.limit ?? 'read', bearer, now, refusals, (limit) =>
    port(deps.tokens).admit(bearer, limit, now),
  )
  const { userId, id: tokenId, scopes, expiresAt } = admission.record
  if (one.scope && !covers(scopes, one.scope))
    throw forbidden(`This token lacks the scope ${one.scope}. Mint a token that has it.`)
  return { actor: { kind: 'pat', userId, tokenId, scopes, expiresAt }, counts: admission.counts, claims: null }
}

async function admitSession(
  one: AnyOperation,
  asking: Asking,
  deps: AuthPorts,
  now: number,
  refusals: Refusals,
): Promise<Authenticated> {
  const cookie = readCookie(asking.headers.cookie, sessionCookieName(deps.settings.production))
  if (!cookie) throw unauthorized()
  if (asking.method !== 'GET' && asking.method !== 'HEAD') checkOrigin(asking, deps)
  const admission = await admit(one.limit ?? 'read', cookie, now, refusals, (limit) =>
    port(deps.sessions).admit(cookie, limit, now),
  )
  const { userId, id: sessionId, createdAt } = admission.record
  return {
    actor: { kind: 'session', userId, sessionId, signedInAt: createdAt },
    counts: admission.counts,
    claims: null,
  }
}

async function admitMachine(
  one: AnyOperation,
  audience: Audience,
  token: string,
  deps: AuthPorts,
  now: number,
  refusals: Refusals,
): Promise<Authenticated> {
  const claims = await port(deps.machineTokens).verify(token, audience, now)
  if (!claims) throw unauthorized('This machine token is not valid here.')
  const { userId, instanceId, generation } = claims
  const actor: Actor = { kind: 'machine', userId, instanceId, generation, audience }
  if (one.admission === 'wallet') return { actor, counts: null, claims }
  const admission = await admit(one.limit ?? 'agent', token, now, refusals, (limit) =>
    port(deps.instances).admitMachine(claims, limit, now),
  )
  return { actor, counts: admission.counts, claims }
}

async function admitAnonymous(
  one: AnyOperation,
  asking: Asking,
  deps: AuthPorts,
  now: number,
  refusals: Refusals,
): Promise<Authenticated> {
  const actor: Actor = { kind: 'anonymous', ip: asking.ip }
  if (!one.limit) return { actor, counts: null, claims: null }
  const subject = `${one.id}#${asking.ip}`
  const admission = await admit(one.limit, subject, now, refusals, (limit) =>
    port(deps.rates).admit(subject, limit, now),
  )
  return { actor, counts: admission.counts, claims: null }
}

async function admit<T>(
  limit: LimitClass,
  subject: string,
  now: number,
  refusals: Refusals,
  ask: (limit: LimitClass) => Promise<Admission<T>>,
): Promise<{ record: T; counts: Counts }> {
  refusals.check(limit, subject, now)
  const admission = await ask(limit)
  if (admission.admitted) return admission
  if (admission.because === 'unknown') {
    refusals.rememberUnknown(subject, now)
    throw unauthorized()
  }
  const { resetSeconds } = readWindow(limit, admission.counts, now)
  refusals.rememberLimited(limit, subject, now + resetSeconds * 1000)
  throw rateLimited(resetSeconds)
}

export function readCookie(header: string | undefined, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const [key, ...value] = part.trim().split('=')
    if (key === name) return value.join('=') || null
  }
  return null
}

/** A cookie travels by itself, so a write with one must come from our own pages. */
function checkOrigin(asking: Asking, deps: AuthPorts): void {
  const { origin } = asking.headers
  const site = asking.headers['sec-fetch-site']
  if (origin === deps.settings.publicOrigin || (origin === undefined && site === 'same-origin')) return
  throw forbidden('This request must come from the dashboard itself.')
}

function port<T>(one: T | undefined): T {
  if (one === undefined) throw new Error('the area of this operation has no access to what authenticates its callers')
  return one
}
