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
  /**
   * Makes a token and stores its hash; a token's own tokens are noted with it in the same write, so its revocation
   * finds every one of them. @throws unauthorized when the minting token was revoked meanwhile; conflict at too many
   */
  mint(record: Omit<PatRecord, 'id' | 'tokenPrefix'>): Promise<{ record: PatRecord; plaintext: string }>
  list(userId: string): Promise<PatRecord[]>
  find(id: string): Promise<PatRecord | null>
  /** The token with this plaintext; a text without a token's checksum costs no call. */
  identify(plaintext: string): Promise<PatRecord | null>
  /** Null when this user has no such token. */
  rename(userId: string, id: string, name: string): Promise<PatRecord | null>
  /** Makes the token that takes over from `old`, which ends at `endsAt`. @throws conflict when another one did already */
  reroll(
    old: PatRecord,
    next: Omit<PatRecord, 'id' | 'tokenPrefix'>,
    endsAt: string,
  ): Promise<{ record: PatRecord; plaintext: string }>
  /**
   * Revokes a token, what it took over from and everything any of them minted, whoever is minting meanwhile. Answers
   * those that this call has ended; a second call changes nothing.
   */
  revoke(id: string, at: string): Promise<PatRecord[]>
}

/** Browser sessions, found by an id derived from the cookie's SHA-256. */
export interface Sessions {
  admit(cookie: string, limit: LimitClass, nowMs: number): Promise<Admission<SessionRecord>>
  open(userId: string, nowMs: number, device: string): Promise<{ record: SessionRecord; cookie: string }>
  /** Whether a session would still be let in; counts nothing. */
  isOpen(id: string, nowMs: number): Promise<boolean>
  /** Newest first. */
  list(userId: string, nowMs: number): Promise<SessionRecord[]>
  /** Ends a session of this user at once; false when there is none such. */
  close(userId: string, id: string): Promise<boolean>
}

/** Secrets mailed to prove an address: one open secret for each subject, such as an e-mail address. */
export interface Logins {
  /**
   * Makes and stores a new secret, replacing the older one: six digits, or after too many wrong ones today the 128
   * bits of a link. Null when this subject was mailed too often.
   */
  issue(subject: string, nowMs: number): Promise<MailedSecret | null>
  /** Counts a try of a code and compares in constant time; true once, for the right secret in time. */
  redeem(subject: string, secret: string, nowMs: number): Promise<boolean>
}

export interface MailedSecret {
  kind: 'code' | 'link'
  secret: string
}

/** Windows of callers who are nobody yet, counted by address or the like. */
export interface Rates {
  admit(subject: string, limit: LimitClass, nowMs: number): Promise<Admission<null>>
}

/** How many places one subject's open connections share, and for how long each is held. */
export interface Places {
  most: number
  /** A place whose holder has not been heard of for this long is free, ms. */
  lifeMs: number
  /** A holder older than this makes room for a newcomer, ms; without it none does. */
  yieldAfterMs?: number
  /** Who takes it (letters and digits): its own earlier place makes room for it at any age. */
  holder?: string
}

/** The few places that one subject's open connections share. */
export interface Leases {
  /** A place by its id, or in how many seconds to try again. */
  take(
    subject: string,
    places: Places,
    nowMs: number,
  ): Promise<{ taken: true; id: string } | { taken: false; retryAfterSeconds: number }>
  /** Holds a place for longer; false when it went to another. */
  keep(subject: string, id: string, places: Places, nowMs: number): Promise<boolean>
  give(subject: string, id: string): Promise<void>
}

/** Makes cursors of lists tamper-proof: a sealed text opens in its own place only. */
export interface Cursors {
  seal(place: string, text: string): Promise<string>
  /** Null for anything `seal` did not make for this place. */
  open(place: string, sealed: string): Promise<string | null>
}

/** Knows CloudFront by its key. */
export interface Edge {
  holds(key: string): Promise<boolean>
}

/** Signs and checks machine tokens; keys are derived per audience and cached. */
export interface MachineTokens {
  sign(claims: MachineClaims): Promise<string>
  /** The claims of a genuine, unexpired token of this audience; null for anything else. */
  verify(token: string, audience: Audience, nowMs: number): Promise<MachineClaims | null>
}
