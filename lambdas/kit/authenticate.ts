import { browserId } from '../../app/account/known-browser.ts'
import type { Sessions, Users } from '../../app/ports/account.ts'
import type { Basics } from '../../app/ports/basics.ts'
import type { Instances } from '../../app/ports/instance.ts'
import type { Operators } from '../../app/ports/operator.ts'
import type { Admission, Rates } from '../../app/ports/rates.ts'
import type { Cursors, Edge, MachineTokens, Tokens } from '../../app/ports/tokens.ts'
import type { Wallets } from '../../app/ports/wallet.ts'
import { ownOrigins } from '../../domain/account/origins.ts'
import { checkRecentSignIn } from '../../domain/account/recent-sign-in.ts'
import type { SessionRecord } from '../../domain/account/user.ts'
import type { Actor, Audience } from '../../domain/actor.ts'
import { type DomainError, forbidden, rateLimited, unauthorized } from '../../domain/errors.ts'
import { checkOperator } from '../../domain/operator/operators.ts'
import { type LimitClass, readWindow } from '../../domain/rates/rate-limits.ts'
import { type CallerKind, ownerKey } from '../../domain/rates/window-owner.ts'
import { covers } from '../../domain/scopes.ts'
import { clientOfUserAgent, knownClient } from '../../domain/tokens/client-name.ts'
import type { PatRecord } from '../../domain/tokens/pat.ts'
import { staleMachine } from '../../domain/wallet/holds.ts'
import { isUnpaid } from '../../domain/wallet/payment-required.ts'
import type { Access } from './access.ts'
import { readCookie } from './cookies.ts'
import type { DenyCache, Subject } from './deny-cache.ts'
import type { AnyOperation, Auth } from './operation.ts'
import { type Caller, type RequestContext, setWindow } from './request.ts'

/** The ports for authentication by kind of caller; an area without them cannot admit that kind. */
export type AuthPorts = Partial<{
  tokens: Tokens
  sessions: Sessions
  instances: Instances
  wallets: Wallets
  machineTokens: MachineTokens
  rates: Rates
  edge: Edge
  cursors: Cursors
  users: Users
  operators: Operators
}> &
  Basics

interface AuthRequest {
  operation: AnyOperation
  context: RequestContext
  headers: Readonly<Record<string, string>>
  deps: AuthPorts
  now: number
  denied: DenyCache
}

/**
 * Counts the caller's window. A user costs one read of the token or session, and one write of the window that all
 * callers of that kind share; any other caller costs one write. A wrong bearer token never falls back to the cookie.
 * @throws unauthorized, forbidden, rate-limited
 */
export async function authenticate(
  operation: AnyOperation,
  context: RequestContext,
  deps: AuthPorts,
  denied: DenyCache,
): Promise<Caller> {
  const { headers } = context.request
  const request: AuthRequest = { operation, context, headers, deps, now: context.now, denied }
  if (operation.sameOrigin) checkOrigin(headers, deps)
  if (operation.auth === 'none' || operation.auth === 'signed') return admitAnonymous(request)
  const bearer = readBearer(headers)
  // Vendors' SDKs send their key in their vendor's header.
  const key = bearer ?? headers['x-api-key'] ?? ''
  if (isAudience(operation.auth)) return admitMachine(request, operation.auth, key)
  if (operation.auth === 'pat') return admitPat(request, key)
  if (operation.auth === 'operator') return admitOperator(request, bearer)
  return bearer === null ? admitSession(request) : admitPat(request, bearer)
}

export function authenticationUses({ auth, limit, admission }: AnyOperation): Access {
  if (auth === 'none' || auth === 'signed')
    return limit ? { rates: 'read', edge: 'read', ...(limit === 'login' && { cursors: 'read' }) } : {}
  if (auth === 'pat') return { tokens: 'read', rates: 'read' }
  if (auth === 'operator') return { sessions: 'read', rates: 'read', users: 'read', operators: 'read' }
  if (!isAudience(auth)) return { tokens: 'read', sessions: 'read', rates: 'read' }
  return { machineTokens: 'read', ...(admission === 'wallet' ? { wallets: 'write' } : { instances: 'read' }) }
}

const unknownPat = () =>
  unauthorized(
    'This token was revoked, has expired or never was one. Mint another on the tokens page of the dashboard and send it as "Authorization: Bearer oss_…".',
  )
const unknownSession = () => unauthorized('Your session has ended. Sign in again.')
const unknownMachine = () =>
  unauthorized(
    'This machine token is not valid here. Use the newest one of this audience; if it is, stop working and exit.',
  )

const isAudience = (auth: Auth): auth is Audience => auth === 'llm' || auth === 'files' || auth === 'agent'

/** The token of an Authorization header; null without the header. @throws unauthorized on another scheme */
function readBearer(headers: Readonly<Record<string, string>>): string | null {
  const value = headers.authorization
  if (value === undefined) return null
  const found = /^bearer +(\S+)$/i.exec(value.trim())
  if (!found?.[1]) throw unauthorized('Send the token as "Authorization: Bearer <token>", without anything after it.')
  return found[1]
}

async function admitPat(request: AuthRequest, bearer: string): Promise<Caller> {
  const { operation, deps, now } = request
  const read = () => port(deps.tokens).authenticate(bearer, now, clientOf(request))
  const { record, countAs } = await admitUser(request, `pat#${bearer}`, read, unknownPat)
  const { userId, id: tokenId, scopes, expiresAt, lastClient } = record
  if (operation.auth === 'session') throw forbidden('Only a signed-in browser session may do this.')
  if (operation.scope && !covers(scopes, operation.scope))
    throw forbidden(`This token lacks the scope ${operation.scope}. Mint a token that has it.`)
  const actor: Actor = { kind: 'pat', userId, tokenId, scopes, expiresAt, client: lastClient }
  return { actor, claims: null, countAs }
}

/**
 * Undefined if the `User-Agent` may not tell: an operation's protocol may name the program in a message, and the
 * service opens some sockets for others.
 */
function clientOf({ operation: { http }, headers }: AuthRequest): string | null | undefined {
  const userAgent = headers['user-agent'] ?? ''
  return http.protocol || http.socket ? (knownClient(userAgent) ?? undefined) : clientOfUserAgent(userAgent)
}

/** The browser's session, counted in the window of all its user's sessions. */
async function sessionOf(request: AuthRequest) {
  const { context, headers, deps, operation, now } = request
  const cookie = readCookie(headers, 'session', deps.settings.production)
  if (!cookie) throw unauthorized()
  const { method } = context.request
  // Another site's page could open a WebSocket here, and read it.
  if ((method !== 'GET' && method !== 'HEAD') || operation.http.socket) checkOrigin(headers, deps)
  const read = () => port(deps.sessions).authenticate(cookie, now)
  const { record, countAs } = await admitUser(request, `session#${cookie}`, read, unknownSession)
  const { createdAt: signedInAt, ...rest } = record
  return { ...rest, signedInAt, countAs }
}

async function admitSession(request: AuthRequest): Promise<Caller> {
  const { userId, id: sessionId, signedInAt, countAs } = await sessionOf(request)
  // Checked before the request is read; the operation checks a rule that depends on the request.
  if (request.operation.recentSignIn === true) checkRecentSignIn(signedInAt, request.now)
  return { actor: { kind: 'session', userId, sessionId, signedInAt }, claims: null, countAs }
}

/** Refuses tokens, and requests from other sites' pages. */
async function admitOperator(request: AuthRequest, bearer: string | null): Promise<Caller> {
  const { headers, deps, now } = request
  if (bearer !== null) throw unauthorized('A token cannot do this. Sign in with a passkey in a browser.')
  const { userId, id: sessionId, signedInAt, passkeyId, countAs } = await sessionOf(request)
  checkOrigin(headers, deps)
  const user = await port(deps.users).find(userId)
  const asking = { email: user && !user.eraseAt ? user.email : null, passkeyId, signedInAt }
  const email = checkOperator(port(deps.operators).all(), asking, request.operation.anySignInAge ? null : now)
  return { actor: { kind: 'operator', userId, sessionId, signedInAt, email }, claims: null, countAs }
}

async function admitMachine(request: AuthRequest, audience: Audience, token: string): Promise<Caller> {
  const { operation, deps, now, denied } = request
  const claims = await port(deps.machineTokens).verify(token, audience, now)
  if (!claims) throw unknownMachine()
  const { userId, instanceId, generation } = claims
  const actor: Actor = { kind: 'machine', userId, instanceId, generation, audience }
  const by = operation.admission === 'wallet' ? 'wallets' : 'instances'
  const subject = `machine#${token}` as const
  const admitCaller = async (refusal?: DomainError) =>
    void (await admit<unknown>(
      request,
      subject,
      (limit) => port(deps[by]).admitMachine(claims, limit, now),
      staleMachine,
      refusal,
    ))
  if (by === 'wallets') {
    denied.check(operation.limit ?? 'agent', subject, now)
    return { actor, claims, admit: admitCaller }
  }
  await admitCaller()
  return { actor, claims }
}

async function admitAnonymous(request: AuthRequest): Promise<Caller> {
  const { operation, context, deps, now } = request
  const actor: Actor = { kind: 'anonymous', ip: context.ip }
  const admitCaller = async () => {
    if (!operation.limit) return
    const owner = { by: 'stranger', operation: operation.id, id: await askerId(request) } as const
    const read = (limit: LimitClass) => port(deps.rates).admit(owner, limit, now)
    await admit(request, `anonymous#${ownerKey(owner)}`, read, unauthorized)
  }
  if (operation.admission === 'secret') return { actor, claims: null, admit: admitCaller }
  await admitCaller()
  return { actor, claims: null }
}

/** For sign-ins, known browsers of a user count apart from strangers at their network address. */
async function askerId({ operation, context, headers, deps }: AuthRequest): Promise<string> {
  if (operation.limit !== 'login') return context.ip
  const cookie = readCookie(headers, 'browser', deps.settings.production)
  const known = cookie && (await browserId({ cursors: port(deps.cursors) }, cookie))
  return known ? `${known}@${context.ip}` : context.ip
}

/** Counted in the window that all of the user's tokens, or sessions, share. */
async function admitUser<T extends PatRecord | SessionRecord>(
  request: AuthRequest,
  subject: Subject,
  read: () => Promise<T | null>,
  unknown: () => DomainError,
) {
  const { operation, context, deps, now, denied } = request
  const ownLimit = operation.limit ?? 'read'
  denied.check(ownLimit, subject, now)
  const record = await read()
  if (!record) {
    denied.rememberUnknown(subject, now, unknown())
    throw unknown()
  }
  const owner = { by: callerKindOf(record), userId: record.userId }
  const all = `user#${ownerKey(owner)}` as const
  const countAs = async (limit: LimitClass): Promise<void> => {
    denied.check(limit, all, now)
    const admission = await port(deps.rates).admit(owner, limit, now)
    const counts = 'counts' in admission ? admission.counts : {}
    if (limit === ownLimit) setWindow(context, counts)
    if (admission.admitted) return
    const { resetSeconds } = readWindow(limit, counts, now)
    // Also remembered for this token or session, so that its next refusal reads nothing.
    denied.rememberLimited(limit, subject, now + resetSeconds * 1000)
    throw limited(denied, limit, all, resetSeconds, now)
  }
  await countAs(ownLimit)
  return { record, countAs }
}

const callerKindOf = (record: PatRecord | SessionRecord): CallerKind =>
  'scopes' in record ? (record.app ? 'apps' : 'tokens') : 'sessions'

type Read<T> = (limit: LimitClass) => Promise<Admission<T>>

/** Over the limit, a caller whose wallet prevents the call anyway gets that `refusal`: waiting would not help. */
async function admit<T>(
  { operation, context, now, denied }: AuthRequest,
  subject: Subject,
  read: Read<T>,
  unknown: () => DomainError,
  refusal?: DomainError,
): Promise<T> {
  const limit = operation.limit ?? 'read'
  denied.check(limit, subject, now)
  const admission = await read(limit)
  if (!admission.admitted && admission.because === 'unknown') {
    denied.rememberUnknown(subject, now, unknown())
    throw unknown()
  }
  // Set before any refusal, so that refused callers get the headers, too.
  setWindow(context, admission.counts)
  if (admission.admitted) return admission.record
  if (refusal && isUnpaid(refusal)) throw refusal
  throw limited(denied, limit, subject, readWindow(limit, admission.counts, now).resetSeconds, now)
}

function limited(denied: DenyCache, limit: LimitClass, subject: Subject, resetSeconds: number, now: number) {
  denied.rememberLimited(limit, subject, now + resetSeconds * 1000)
  return rateLimited(resetSeconds)
}

/** Browsers send cookies by themselves, so a write with a cookie must come from our own pages. */
function checkOrigin(headers: AuthRequest['headers'], deps: AuthPorts): void {
  const { origin, 'sec-fetch-site': site } = headers
  if (
    (origin && ownOrigins(deps.settings.publicOrigin).includes(origin)) ||
    (origin === undefined && site === 'same-origin')
  )
    return
  throw forbidden('This request must come from the dashboard itself.')
}

function port<T>(adapter: T | undefined): T {
  if (adapter === undefined)
    throw new Error('the area of this operation has no access to what authenticates its callers')
  return adapter
}
