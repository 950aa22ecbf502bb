import type { Asker, MailedSecrets } from '../../domain/account/sign-in.ts'
import type { SessionRecord } from '../../domain/account/user.ts'
import type { MachineClaims, TokenAudience } from '../../domain/tokens/machine-token.ts'
import type { NewPat, PatRecord } from '../../domain/tokens/pat.ts'
import type { Counts, LimitClass } from '../../domain/tokens/rate-limits.ts'
import type { WindowOwner } from '../../domain/tokens/window-owner.ts'

/** The record and its counts, or why the request was refused. For a machine, `unknown` is a generation that is over. */
export type Admission<T> =
  | { admitted: true; record: T; counts: Counts }
  | { admitted: false; because: 'unknown' }
  | { admitted: false; because: 'limited'; counts: Counts }

/** The id is derived from the plaintext. */
export interface TokenSecret {
  id: string
  plaintext: string
}

export interface TokenChange {
  name?: string | undefined
  /** Most it may spend in all, in a UTC day, in a month, µUSD; null removes a cap. */
  capMicros?: number | null | undefined
  dailyCapMicros?: number | null | undefined
  monthlyCapMicros?: number | null | undefined
}

/** Personal Access Tokens, found by an id derived from the plaintext's SHA-256. */
export interface Tokens {
  /**
   * The token while it is valid; a text without a token's checksum costs no call. Stores its use once in `useNotedMs`,
   * and its program's name when that changes.
   * @param client the program's name; null for none, undefined if not yet known
   */
  authenticate(plaintext: string, nowMs: number, client?: string | null): Promise<PatRecord | null>
  noteClient(id: string, client: string): Promise<void>
  newSecret(): TokenSecret
  /**
   * The same write adds the token to its minting token, whose revocation thus finds it.
   * @throws unauthorized when the minting token was revoked meanwhile; conflict at too many, also under concurrency
   */
  mint(record: NewPat, secret?: TokenSecret): Promise<{ record: PatRecord; plaintext: string }>
  /** An early check of the number of live tokens; the write that creates a token checks again. @throws conflict */
  checkFree(userId: string, nowMs: number): Promise<void>
  /** Does `act` in one transaction with a check that the token is valid. @throws unauthorized */
  whileAlive<T>(id: string, nowMs: number, act: () => Promise<T>): Promise<T>
  list(userId: string): Promise<PatRecord[]>
  find(id: string): Promise<PatRecord | null>
  /** The existing tokens among these ids, unordered. */
  findAll(ids: readonly string[]): Promise<PatRecord[]>
  /** A text without a token's checksum costs no call. */
  findByPlaintext(plaintext: string): Promise<PatRecord | null>
  /** Renames a token, or sets the caps (null: none) of all tokens that share its count. Null when the token is gone. */
  change(token: PatRecord, to: TokenChange): Promise<PatRecord | null>
  /** Creates the successor of `old`, which ends at `endsAt`. @throws conflict when it has a successor */
  reroll(old: PatRecord, next: NewPat, endsAt: string): Promise<{ record: PatRecord; plaintext: string }>
  /**
   * Also revokes its predecessors and all tokens minted by any of them, even concurrently. Returns the tokens that this
   * call has ended; safe to repeat.
   */
  revoke(id: string, at: string): Promise<PatRecord[]>
}

/** Browser sessions, found by an id derived from the cookie's SHA-256. */
export interface Sessions {
  /** The session of this cookie, while it is valid. Each use extends it, stored once in `useNotedMs`. */
  authenticate(cookie: string, nowMs: number): Promise<SessionRecord | null>
  /** @param passkeyId the passkey of the sign-in; null for a sign-in by e-mail */
  open(
    userId: string,
    nowMs: number,
    device: string,
    passkeyId?: string | null,
  ): Promise<{ record: SessionRecord; cookie: string }>
  /** Whether a session is still valid; does not count as a use. */
  isOpen(id: string, nowMs: number): Promise<boolean>
  /** Newest first. */
  list(userId: string, nowMs: number): Promise<SessionRecord[]>
  close(userId: string, id: string): Promise<boolean>
}

/** Secrets mailed to prove a subject, such as an e-mail address. Using a mail's code or link ends both. */
export interface Logins {
  /**
   * A new attempt to prove the subject, and the secrets to mail; null while a link that was mailed within the last hour
   * is still valid. Earlier attempts stay valid. A given `attempt` replaces the one of that name and has no valid link.
   * `bounced`: the address did within the last 30 days; not checked for a named attempt.
   */
  issue(
    subject: string,
    asker: Asker,
    nowMs: number,
    attempt?: string,
  ): Promise<{ attempt: string; mail: MailedSecrets | null; bounced: boolean }>
  /** Records a bounce for 30 days. */
  markBounced(email: string, nowMs: number): Promise<void>
  forgetBounce(email: string): Promise<void>
  /** Compares in constant time, and counts the try on each attempt. True once, for the right code in time. */
  redeemCode(subject: string, attempts: readonly string[], code: string, nowMs: number): Promise<boolean>
  /** True once, for the right token in time. Tries are not counted, because nobody guesses 128 bits. */
  redeemLink(subject: string, token: string, nowMs: number): Promise<boolean>
}

export interface Rates {
  /** Counts a request in its owner's window, or refuses it. */
  admit(owner: WindowOwner, limit: LimitClass, nowMs: number): Promise<Admission<null>>
}

export interface Slots {
  max: number
  /** A slot that was not renewed for this long is free, ms. */
  ttlMs: number
  /** A newcomer may take a slot held for longer than this, ms; without it, none. */
  evictAfterMs?: number
  /** The slot's client (no hyphens): at the limit, its own oldest slot is replaced at any age. */
  client?: string
  /** The slot's holder (letters and digits): its own earlier slot is replaced at any age. */
  holder?: string
}

export interface Leases {
  /** A slot's id, or the seconds until the next try. */
  acquire(
    subject: string,
    slots: Slots,
    nowMs: number,
  ): Promise<{ acquired: true; id: string } | { acquired: false; retryAfterSeconds: number }>
  /** False when the slot was lost to another holder. */
  renew(subject: string, id: string, slots: Pick<Slots, 'ttlMs'>, nowMs: number): Promise<boolean>
  /** False when nobody held the slot. */
  release(subject: string, id: string): Promise<boolean>
  isHeld(subject: string, nowMs: number): Promise<boolean>
}

/** Clients' idempotency keys, each stored for a day with the request's hash and its encrypted answer. */
export interface IdempotencyKeys {
  find(id: string, nowMs: number): Promise<{ request: string; answer: string | null } | null>
  /** Claims the key in one transaction with the first write of `act`. @throws conflict when it is claimed */
  claim<T>(key: { id: string; request: string }, nowMs: number, act: () => Promise<T>): Promise<T>
  keep(key: { id: string; request: string }, answer: string, nowMs: number): Promise<void>
}

/** Signs texts that clients send back; a signed text is valid only for its own list and user. */
export interface Cursors {
  sign(list: string, text: string): Promise<string>
  /** The text; null if `sign` did not make it for this list. */
  verify(list: string, signed: string): Promise<string | null>
}

/** Recognises CloudFront by its key. */
export interface Edge {
  isKey(key: string): Promise<boolean>
}

/** Signs and checks machine tokens; keys are derived per audience and cached. */
export interface MachineTokens {
  sign(claims: MachineClaims): Promise<string>
  /** The claims of a genuine, unexpired token of this audience; otherwise null. */
  verify(token: string, audience: TokenAudience, nowMs: number): Promise<MachineClaims | null>
}
