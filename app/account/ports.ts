import type { AuditActor, AuditEntry } from '../../domain/account/audit.ts'
import type { CeremonyJson, CeremonyResponse, Credential, PasskeyRecord } from '../../domain/account/passkey.ts'
import type { ReturnedMails } from '../../domain/account/returned-mail.ts'
import type { AcceptedTerms } from '../../domain/account/terms.ts'
import type { TermsVersion } from '../../domain/account/terms-versions.ts'
import type { UserRecord } from '../../domain/account/user.ts'
import type { Subscription } from '../../domain/billing/subscription.ts'
import type { Muting } from '../../domain/notifications/notification.ts'
import type { Page } from '../../domain/page.ts'

export interface Users {
  find(userId: string): Promise<UserRecord | null>
  findByEmail(email: string): Promise<UserRecord | null>
  /** The user with this address, made if there is none, who accepts the terms that were shown. Two at once make one. */
  findOrCreate(
    email: string,
    newUserId: string,
    nowMs: number,
    shown?: TermsVersion,
  ): Promise<{ user: UserRecord; created: boolean }>
  acceptTerms(userId: string, terms: AcceptedTerms): Promise<void>
  /** The returned e-mails of the user's address; another address starts over. */
  setReturned(userId: string, returned: ReturnedMails): Promise<void>
  setCustomer(userId: string, customerId: string): Promise<void>
  /** The user's muted notifications; false if they changed since they were `before`. */
  setMuted(userId: string, muted: readonly Muting[], before: readonly Muting[]): Promise<boolean>
  /**
   * Applies an event about a subscription, or makes another one than `replaces` the user's. False when a newer event
   * was applied already, when it was over for good, or when the user's is no longer the one it replaces.
   */
  setSubscription(
    userId: string,
    change: { subscription: Subscription; subscriptionId: string; asOfSeconds: number; replaces: string | null },
  ): Promise<boolean>
  /** Moves the account to another address; false when that one is another account's, or this one moved already. */
  changeEmail(userId: string, from: string, to: string): Promise<boolean>
  /** Sets the account to be erased; false when it is already. The sweep checks it at `checkAtMs` first. */
  scheduleErasure(userId: string, eraseAt: string, checkAtMs: number): Promise<boolean>
  /** Keeps an account that was to be erased; false when it was not, or is gone. */
  cancelErasure(userId: string): Promise<boolean>
  /** Accounts whose erasure has a next step due, by shard. */
  dueForErasure(shard: number, nowMs: number): Promise<string[]>
  /** Sets when the sweep checks an account that is to be erased again, ms since 1970. */
  postponeErasure(userId: string, atMs: number): Promise<void>
  /** Takes the address and everything personal off an account whose time has come; false when it is being kept. */
  anonymise(userId: string, nowMs: number): Promise<boolean>
  /** Nothing is left to do for an erased account. */
  completeErasure(userId: string): Promise<void>
}

/** Passkeys of users, and the challenges that were given out for them. */
export interface Passkeys {
  /** Keeps a challenge, base64url, for one answer. */
  saveChallenge(challenge: string, userId: string | null, nowMs: number): Promise<void>
  /** Takes a challenge out of store; null when it was never given out, was answered or is too old. */
  takeChallenge(challenge: string, nowMs: number): Promise<{ userId: string | null } | null>
  /** The name of a credential's passkey. */
  idOf(credential: Pick<PasskeyRecord, 'credentialId'>): string
  /** Null when the credential is known already. */
  add(record: Omit<PasskeyRecord, 'id'>): Promise<PasskeyRecord | null>
  list(userId: string): Promise<PasskeyRecord[]>
  find(credentialId: string): Promise<PasskeyRecord | null>
  /** Notes a sign-in; false when the counter did not rise since (a copy), or the passkey is gone. */
  recordUse(record: PasskeyRecord, counter: number, at: string): Promise<boolean>
  /** Removes a passkey of this user; null when there is none such. */
  remove(userId: string, id: string): Promise<PasskeyRecord | null>
}

/** The Web Authentication ceremonies for this service's own site. */
export interface PasskeyCeremony {
  /** The options for creating a passkey in a browser, with a fresh challenge. */
  registrationOptions(
    user: { id: string; email: string },
    known: PasskeyRecord[],
  ): Promise<{ options: CeremonyJson; challenge: string }>
  /** The options for signing in with any passkey of this site, for a browser. */
  authenticationOptions(): Promise<{ options: CeremonyJson; challenge: string }>
  /** The challenge an answer is about; null when it names none. */
  challengeOf(response: CeremonyResponse): string | null
  /** The new credential; null when the answer does not prove one. */
  verifyRegistration(response: CeremonyResponse, challenge: string): Promise<Credential | null>
  /** The credential's new counter; null when the answer is not genuine. */
  verifyAuthentication(
    response: CeremonyResponse,
    challenge: string,
    known: PasskeyRecord,
  ): Promise<{ counter: number } | null>
}

/** A line of the audit trail that is not written yet. */
export type AuditLine = Pick<AuditEntry, 'operation' | 'record' | 'reason' | 'user'> & {
  userId: string
  actor: AuditActor
}

/** The audit trail: lines are added and read, never changed. */
export interface Audit {
  record(line: AuditLine): Promise<void>
  /** Newest first. */
  list(userId: string, page: { after: string | null; limit: number }): Promise<Page<AuditEntry>>
}

/** Removes what the stores keep of a person: everything but the ledger and the audit trail. */
export interface Erasure {
  /** Repeating it is harmless. */
  deletePersonalData(userId: string): Promise<void>
}
