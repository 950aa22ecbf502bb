import type { SessionRecord } from '../account/user.ts'
import type { Audience } from '../actor.ts'
import type { MachineClaims } from './machine-token.ts'
import type { PatRecord } from './pat.ts'
import type { Counts, LimitClass } from './window.ts'

/**
 * The answer of the one store call that authenticates and counts: the record with its counts after the
 * admission, or why it was refused. `unknown` covers missing, revoked, expired and dead generations alike.
 */
export type Admission<T> =
  | { admitted: true; record: T; counts: Counts }
  | { admitted: false; because: 'unknown' }
  | { admitted: false; because: 'limited'; counts: Counts }

/** Personal Access Tokens, found by an id derived from the plaintext's SHA-256. */
export interface Tokens {
  admit(plaintext: string, limit: LimitClass, nowMs: number): Promise<Admission<PatRecord>>
  /** Makes a token and stores its hash. */
  mint(record: Omit<PatRecord, 'id' | 'tokenPrefix'>): Promise<{ record: PatRecord; plaintext: string }>
  list(userId: string): Promise<PatRecord[]>
  find(id: string): Promise<PatRecord | null>
  /** Revokes once; a second call changes nothing. */
  revoke(id: string, at: string): Promise<void>
}

/** Browser sessions, found by an id derived from the cookie's SHA-256. */
export interface Sessions {
  admit(cookie: string, limit: LimitClass, nowMs: number): Promise<Admission<SessionRecord>>
  open(userId: string, nowMs: number): Promise<{ record: SessionRecord; cookie: string }>
  close(id: string): Promise<void>
}

/** Login codes: one open code per e-mail address. */
export interface Logins {
  /** Stores a new code, replacing the older one; false when this address was mailed too often. */
  issue(email: string, code: string, nowMs: number): Promise<boolean>
  /** Counts a try and compares in constant time; true once, for the right code in time. */
  redeem(email: string, code: string, nowMs: number): Promise<boolean>
}

/** Windows of callers who are nobody yet, counted by address or the like. */
export interface Rates {
  admit(subject: string, limit: LimitClass, nowMs: number): Promise<Admission<null>>
}

/** Signs and checks machine tokens; keys are derived per audience and cached. */
export interface MachineTokens {
  sign(claims: MachineClaims): Promise<string>
  /** The claims of a genuine, unexpired token of this audience; null for anything else. */
  verify(token: string, audience: Audience, nowMs: number): Promise<MachineClaims | null>
}
