import type { Asker, MailedSecrets } from '../../domain/account/sign-in.ts'
import type { SessionRecord } from '../../domain/account/user.ts'
import type { MachineClaims, TokenAudience } from '../../domain/tokens/machine-token.ts'
import type { NewPat, PatRecord } from '../../domain/tokens/pat.ts'
import type { Counts, LimitClass } from '../../domain/tokens/rate-limits.ts'
import type { WindowOwner } from '../../domain/tokens/window-owner.ts'

/**
 * The answer of a store call that counts a request: the record with its counts after the admission, or why it was
 * refused. Machines are authenticated by the same call; `unknown` is then a generation that does not live.
 */
export type Admission<T> =
  | { admitted: true; record: T; counts: Counts }
  | { admitted: false; because: 'unknown' }
  | { admitted: false; because: 'limited'; counts: Counts }

/** A token's plaintext, and the id that is derived from it. */
export interface TokenSecret {
  id: string
  plaintext: string
}

export interface TokenChange {
  name?: string | undefined
  /** Most it may spend in all, in a UTC day, in a month, µUSD; null takes a cap away. */
  capMicros?: number | null | undefined
  dailyCapMicros?: number | null | undefined
  monthlyCapMicros?: number | null | undefined
}

/** Personal Access Tokens, found by an id derived from the plaintext's SHA-256. */
export interface Tokens {
  /**
   * The token with this plaintext, while it is good; a text without a token's checksum costs no call. Notes its use
   * once in `useNotedMs`, and what the program calls itself when that changes.
   * @param client the program's name; null for one without, left out where it may yet say
   */
  authenticate(plaintext: string, nowMs: number, client?: string | null): Promise<PatRecord | null>
  /** Keeps what the program calls itself that uses the token. */
  noteClient(id: string, client: string): Promise<void>
  /** Creates a token; nothing is stored. */
  newSecret(): TokenSecret
  /**
   * Makes a token and stores its hash; a token's own tokens are noted with it in the same write, so its revocation
   * finds every one of them. @throws unauthorized when the minting token was revoked meanwhile; conflict at too many,
   * however many are minted at once
   */
  mint(record: NewPat, secret?: TokenSecret): Promise<{ record: PatRecord; plaintext: string }>
  /**
   * Refuses an account that has as many live tokens as it may; the write that makes a token makes sure. @throws
   * conflict
   */
  checkFree(userId: string, nowMs: number): Promise<void>
  /** Does `act`, whose first write is done only while this token is good, in one transaction. @throws unauthorized */
  whileAlive<T>(id: string, nowMs: number, act: () => Promise<T>): Promise<T>
  list(userId: string): Promise<PatRecord[]>
  find(id: string): Promise<PatRecord | null>
  /** The tokens with these ids that exist, in no order. */
  findAll(ids: readonly string[]): Promise<PatRecord[]>
  /** The token with this plaintext; a text without a token's checksum costs no call. */
  findByPlaintext(plaintext: string): Promise<PatRecord | null>
  /** Gives a token another name, or it and all that share its count other caps (null: none). Null when it is gone. */
  change(token: PatRecord, to: TokenChange): Promise<PatRecord | null>
  /**
   * Makes the token that takes over from `old`, which ends at `endsAt`. @throws conflict when another one did already
   */
  reroll(old: PatRecord, next: NewPat, endsAt: string): Promise<{ record: PatRecord; plaintext: string }>
  /**
   * Revokes a token, its predecessors and everything any of them minted, also tokens minted at the same time. Answers
   * those that this call has ended; a second call changes nothing.
   */
  revoke(id: string, at: string): Promise<PatRecord[]>
}

/** Browser sessions, found by an id derived from the cookie's SHA-256. */
export interface Sessions {
  /** The session of this cookie, while it is good. A use starts its life again, which is noted once in `useNotedMs`. */
  authenticate(cookie: string, nowMs: number): Promise<SessionRecord | null>
  /** @param passkeyId what proved who it is; null where a mail did */
  open(
    userId: string,
    nowMs: number,
    device: string,
    passkeyId?: string | null,
  ): Promise<{ record: SessionRecord; cookie: string }>
  /** Whether a session would still be let in; counts nothing. */
  isOpen(id: string, nowMs: number): Promise<boolean>
  /** Newest first. */
  list(userId: string, nowMs: number): Promise<SessionRecord[]>
  /** Ends a session of this user at once; false when there is none such. */
  close(userId: string, id: string): Promise<boolean>
}

/** Secrets mailed to prove a subject, such as an e-mail address. A mail's code and link work once, either of them. */
export interface Logins {
  /**
   * A new attempt to prove the subject, and what to mail for it; null when a link that this subject was mailed within
   * the last hour is still good. Earlier attempts stay as they are. With `attempt` given it takes the place of the one
   * of that name, and its link works nowhere. `bounced` says whether the address did within the last 30 days; of a
   * named attempt nobody looks.
   */
  issue(
    subject: string,
    asker: Asker,
    nowMs: number,
    attempt?: string,
  ): Promise<{ attempt: string; mail: MailedSecrets | null; bounced: boolean }>
  /** Keeps for 30 days that the address bounced. */
  markBounced(email: string, nowMs: number): Promise<void>
  forgetBounce(email: string): Promise<void>
  /**
   * Counts a try of the code on each attempt it is compared with, in constant time; true once, for a right one in time.
   */
  redeemCode(subject: string, attempts: readonly string[], code: string, nowMs: number): Promise<boolean>
  /** Counts nothing, for nobody guesses the 128 bits of a token; true once, for the right one in time. */
  redeemLink(subject: string, token: string, nowMs: number): Promise<boolean>
}

/** Rate windows. */
export interface Rates {
  /** Counts a request in its owner's window, or refuses it. */
  admit(owner: WindowOwner, limit: LimitClass, nowMs: number): Promise<Admission<null>>
}

/** How many slots one subject's open connections share, and for how long each is held. */
export interface Slots {
  max: number
  /** A slot that was not renewed for this long is free, ms. */
  ttlMs: number
  /** A slot held for longer than this makes room for a newcomer, ms; without it none does. */
  evictAfterMs?: number
  /** The slot's client (no hyphens): at the limit its own oldest slot is replaced at any age. */
  client?: string
  /** The slot's holder (letters and digits): its own earlier slot is replaced at any age. */
  holder?: string
}

/** The few slots that one subject's open connections share. */
export interface Leases {
  /** A slot by its id, or in how many seconds to try again. */
  acquire(
    subject: string,
    slots: Slots,
    nowMs: number,
  ): Promise<{ acquired: true; id: string } | { acquired: false; retryAfterSeconds: number }>
  /** Holds a slot for longer; false when it went to another. */
  renew(subject: string, id: string, slots: Pick<Slots, 'ttlMs'>, nowMs: number): Promise<boolean>
  /** False when nobody held it. */
  release(subject: string, id: string): Promise<boolean>
  /** Whether somebody holds a slot of this subject now. */
  isHeld(subject: string, nowMs: number): Promise<boolean>
}

/** Keys under which clients send a request, each kept for a day with the request's hash and its encrypted answer. */
export interface IdempotencyKeys {
  find(id: string, nowMs: number): Promise<{ request: string; answer: string | null } | null>
  /** Does `act`, whose first write claims the key in the same transaction. @throws conflict when somebody else did */
  claim<T>(key: { id: string; request: string }, nowMs: number, act: () => Promise<T>): Promise<T>
  keep(key: { id: string; request: string }, answer: string, nowMs: number): Promise<void>
}

/**
 * Makes tamper-proof what comes back from browsers and clients: a signed text is valid for its own list and user only.
 */
export interface Cursors {
  sign(list: string, text: string): Promise<string>
  /** The text; null for anything that `sign` did not make for this list. */
  verify(list: string, signed: string): Promise<string | null>
}

/** Knows CloudFront by its key. */
export interface Edge {
  isKey(key: string): Promise<boolean>
}

/** Signs and checks machine tokens; keys are derived per audience and cached. */
export interface MachineTokens {
  sign(claims: MachineClaims): Promise<string>
  /** The claims of a genuine, unexpired token of this audience; null for anything else. */
  verify(token: string, audience: TokenAudience, nowMs: number): Promise<MachineClaims | null>
}
