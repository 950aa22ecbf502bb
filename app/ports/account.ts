import type { AuditActor, AuditEntry } from '../../domain/account/audit.ts'
import type { CeremonyJson, CeremonyResponse, Credential, PasskeyRecord } from '../../domain/account/passkey.ts'
import type { ReturnedMails } from '../../domain/account/returned-mail.ts'
import type { Asker, MailedSecrets } from '../../domain/account/sign-in-limits.ts'
import type { AcceptedTerms } from '../../domain/account/terms.ts'
import type { TermsVersion } from '../../domain/account/terms-versions.ts'
import type { SessionRecord, UserRecord } from '../../domain/account/user.ts'
import type { Subscription } from '../../domain/billing/subscription.ts'
import type { Muting } from '../../domain/notifications/notification.ts'
import type { Page } from '../../domain/page.ts'
import type { Part } from './part.ts'

export interface Users {
  find(userId: string): Promise<UserRecord | null>
  findByEmail(email: string): Promise<UserRecord | null>
  /** Concurrent calls create one user. */
  findOrCreate(
    email: string,
    newUserId: string,
    nowMs: number,
    shown?: TermsVersion,
  ): Promise<{ user: UserRecord; created: boolean }>
  acceptTerms(userId: string, terms: AcceptedTerms): Promise<void>
  /** A new address starts without returned e-mails. */
  setReturned(userId: string, returned: ReturnedMails, ...also: Part[]): Promise<boolean>
  setCustomer(userId: string, customerId: string): Promise<void>
  /** False when the muted notifications are no longer `before`. */
  setMuted(userId: string, muted: readonly Muting[], before: readonly Muting[], ...also: Part[]): Promise<boolean>
  /**
   * Applies a subscription's event, or replaces the subscription `replaces`. False when a newer event was applied, the
   * subscription is over, or `replaces` is not the user's.
   */
  setSubscription(
    userId: string,
    change: { subscription: Subscription; subscriptionId: string; asOfSeconds: number; replaces: string | null },
  ): Promise<boolean>
  /** False when `to` belongs to another account, or the account has moved already. */
  changeEmail(userId: string, from: string, to: string, ...also: Part[]): Promise<boolean>
  /** False when the erasure is scheduled already. The sweep checks the account at `checkAtMs` first. */
  scheduleErasure(userId: string, eraseAt: string, checkAtMs: number, ...also: Part[]): Promise<boolean>
  /** False when no erasure was scheduled, or the account is gone. */
  cancelErasure(userId: string, ...also: Part[]): Promise<boolean>
  dueForErasure(shard: number, nowMs: number): Promise<string[]>
  /** Sets the sweep's next check of the account, ms since 1970. */
  postponeErasure(userId: string, atMs: number): Promise<void>
  /** Removes the address and all personal data of a due account; false when the account is being kept. */
  anonymise(userId: string, nowMs: number): Promise<boolean>
  /** False for an account that was not anonymised. */
  completeErasure(userId: string, ...also: Part[]): Promise<boolean>
}

export interface Passkeys {
  /** Stores a challenge, base64url, for one answer. */
  saveChallenge(challenge: string, userId: string | null, nowMs: number): Promise<void>
  /** Uses up a challenge; null for an unknown, used or expired one. */
  takeChallenge(challenge: string, nowMs: number): Promise<{ userId: string | null } | null>
  idOf(credential: Pick<PasskeyRecord, 'credentialId'>): string
  /** Null when the credential is known already. */
  add(record: Omit<PasskeyRecord, 'id'>, ...also: Part[]): Promise<PasskeyRecord | null>
  list(userId: string): Promise<PasskeyRecord[]>
  find(credentialId: string): Promise<PasskeyRecord | null>
  /** False when the counter did not rise (a copied passkey), or the passkey is gone. */
  recordUse(record: PasskeyRecord, counter: number, at: string): Promise<boolean>
  remove(userId: string, id: string, ...also: Part[]): Promise<PasskeyRecord | null>
}

export interface PasskeyCeremony {
  registrationOptions(
    user: { id: string; email: string },
    known: PasskeyRecord[],
  ): Promise<{ options: CeremonyJson; challenge: string }>
  authenticationOptions(): Promise<{ options: CeremonyJson; challenge: string }>
  /** Null when the response names no challenge. */
  challengeOf(response: CeremonyResponse): string | null
  /** Null when the response proves no credential. */
  verifyRegistration(response: CeremonyResponse, challenge: string): Promise<Credential | null>
  /** The credential's new counter; null when the response is not genuine. */
  verifyAuthentication(
    response: CeremonyResponse,
    challenge: string,
    known: PasskeyRecord,
  ): Promise<{ counter: number } | null>
}

export type AuditLine = Pick<AuditEntry, 'operation' | 'record' | 'reason' | 'user'> & {
  userId: string
  actor: AuditActor
}

/** The audit trail is append-only. */
export interface Audit {
  /** False for an entry that exists already. */
  record(line: AuditLine, ...also: Part[]): Promise<boolean>
  /** Newest first. */
  list(userId: string, page: { after: string | null; limit: number }): Promise<Page<AuditEntry>>
}

/** Removes all stored data of a person except the ledger and the audit trail. */
export interface Erasure {
  /** Safe to repeat. */
  deletePersonalData(userId: string): Promise<void>
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
    ...also: Part[]
  ): Promise<{ record: SessionRecord; cookie: string }>
  /** Whether a session is still valid; does not count as a use. */
  isOpen(id: string, nowMs: number): Promise<boolean>
  /** Newest first. */
  list(userId: string, nowMs: number): Promise<SessionRecord[]>
  close(userId: string, id: string, ...also: Part[]): Promise<boolean>
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
  /** False when no item of the address is stored. */
  forgetBounce(email: string, ...also: Part[]): Promise<boolean>
  /** Compares in constant time, and counts the try on each attempt. True once, for the right code in time. */
  redeemCode(subject: string, attempts: readonly string[], code: string, nowMs: number): Promise<boolean>
  /** True once, for the right token in time. Tries are not counted, because nobody guesses 128 bits. */
  redeemLink(subject: string, token: string, nowMs: number): Promise<boolean>
}
