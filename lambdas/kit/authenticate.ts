import { ownOrigins } from '../../domain/account/site.ts'
import { recentSignInMs } from '../../domain/account/user.ts'
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
export type AuthPorts = Partial<Pick<Ports, 'tokens' | 'sessions' | 'instances' | 'machineTokens' | 'rates' | 'edge'>> &
  Basics

export interface Asking {
  headers: Readonly<Record<string, string>>
  /** The caller's address; an IPv6 address counts by its /64. */
  ip: string
  method: string
  /** Hears the counts of a window at once, so that a caller refused for another reason sees them too. */
  counted(counts: Counts): void
}

export interface Authenticated {
  actor: Actor
  /** A machine's claims, so that its token can be renewed. */
  claims: MachineClaims | null
}

export const sessionCookieName = (production: boolean) => (production ? '__Secure-service.session' : 'service.session')

/** One request at the door, with all that decides on it. */
interface Door {
  one: AnyOperation
  asking: Asking
  deps: AuthPorts
  now: number
  refusals: Refusals
}

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
  const door: Door = { one, asking, deps, now, refusals }
  if (one.sameOrigin) checkOrigin(asking, deps)
  if (one.auth === 'none' || one.auth === 'signed') return admitAnonymous(door)
  const bearer = readBearer(asking.headers)
  if (one.auth === 'llm' || one.auth === 'files' || one.auth === 'agent') {
    return admitMachine(door, one.auth, bearer ?? asking.headers['x-api-key'] ?? '')
  }
  return bearer === null ? admitSession(door) : admitPat(door, bearer)
}

/** The token of an Authorization header; null when there is no such header. @throws unauthorized on another scheme */
function readBearer(headers: Readonly<Record<string, string>>): string | null {
  const value = headers.authorization
  if (value === undefined) return null
  const found = /^bearer +(\S+)$/i.exec(value.trim())
  if (!found?.[1]) throw unauthorized()
  return found[1]
}

async function admitPat(door: Door, bearer: string): Promise<Authenticated> {
  const { one, deps, now } = door
  const record = await admit(door, 'read', bearer, (limit) => port(deps.tokens).admit(bearer, limit, now))
  const { userId, id: tokenId, scopes, expiresAt } = record
  if (one.auth === 'session') throw forbidden('Only a signed-in browser session may do this.')
  if (one.scope && !covers(scopes, one.scope))
    throw forbidden(`This token lacks the scope ${one.scope}. Mint a token that has it.`)
  return { actor: { kind: 'pat', userId, tokenId, scopes, expiresAt }, claims: null }
}

async function admitSession(door: Door): Promise<Authenticated> {
  const { one, asking, deps, now } = door
  const cookie = readCookie(asking.headers.cookie, sessionCookieName(deps.settings.production))
  if (!cookie) throw unauthorized()
  if (asking.method !== 'GET' && asking.method !== 'HEAD') checkOrigin(asking, deps)
  const record = await admit(door, 'read', cookie, (limit) => port(deps.sessions).admit(cookie, limit, now))
  const { userId, id: sessionId, createdAt } = record
  if (one.recentSignIn && now - Date.parse(createdAt) > recentSignInMs)
    throw forbidden('This wants a sign-in at most 10 minutes old. Sign in again, then repeat it.')
  return { actor: { kind: 'session', userId, sessionId, signedInAt: createdAt }, claims: null }
}

async function admitMachine(door: Door, audience: Audience, token: string): Promise<Authenticated> {
  const { one, deps, now } = door
  const claims = await port(deps.machineTokens).verify(token, audience, now)
  if (!claims) throw unauthorized('This machine token is not valid here.')
  const { userId, instanceId, generation } = claims
  const actor: Actor = { kind: 'machine', userId, instanceId, generation, audience }
  if (one.admission !== 'wallet') {
    await admit(door, 'agent', token, (limit) => port(deps.instances).admitMachine(claims, limit, now))
  }
  return { actor, claims }
}

async function admitAnonymous(door: Door): Promise<Authenticated> {
  const { one, asking, deps, now } = door
  const subject = `${one.id}#${asking.ip}`
  if (one.limit) await admit(door, one.limit, subject, (limit) => port(deps.rates).admit(subject, limit, now))
  return { actor: { kind: 'anonymous', ip: asking.ip }, claims: null }
}

/** The record of a subject that may come in, by its operation's limit or else by `usual`. */
async function admit<T>(
  { one, asking, now, refusals }: Door,
  usual: LimitClass,
  subject: string,
  ask: (limit: LimitClass) => Promise<Admission<T>>,
): Promise<T> {
  const limit = one.limit ?? usual
  refusals.check(limit, subject, now)
  const admission = await ask(limit)
  if (!admission.admitted && admission.because === 'unknown') {
    refusals.rememberUnknown(subject, now)
    throw unauthorized()
  }
  asking.counted(admission.counts)
  if (admission.admitted) return admission.record
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
  if (
    (origin && ownOrigins(deps.settings.publicOrigin).includes(origin)) ||
    (origin === undefined && site === 'same-origin')
  )
    return
  throw forbidden('This request must come from the dashboard itself.')
}

function port<T>(one: T | undefined): T {
  if (one === undefined) throw new Error('the area of this operation has no access to what authenticates its callers')
  return one
}
