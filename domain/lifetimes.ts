import { dayMs, hourMs, minuteMs, secondMs } from './time.ts'

/** Lifetimes of credentials and records, in milliseconds. */

export const loginCodeTtlMs = 10 * minuteMs

/** Ten minutes longer than the hour in which a link can prevent another e-mail. */
export const loginLinkTtlMs = hourMs + loginCodeTtlMs

/** The cookie after a sign-in, which prevents strangers from using up the browser's e-mails. */
export const knownBrowserTtlMs = 365 * dayMs

export const challengeTtlMs = 5 * minuteMs

/** From the session's last use. */
export const sessionTtlMs = 30 * dayMs

/** Interval at which the use of a session or token is noted. */
export const useNotedMs = 5 * minuteMs

/** Maximum age of a sign-in for exporting, deleting and raising limits. */
export const recentSignInMs = 10 * minuteMs

/** An operator's view of a user. */
export const viewTtlMs = 15 * minuteMs

/** Signing in within this time keeps a deleted account. */
export const erasureGraceMs = 30 * dayMs

export const deadTokenKeptMs = 30 * dayMs

/** A machine token, and the time of renewals from its first issue. */
export const machineTokenTtlMs = hourMs
export const machineTokenMaxMs = 7 * dayMs

export const turnTtlMs = hourMs / 2

export const eventTtlMs = dayMs

export const idempotencyTtlMs = dayMs

/** A stream ends before the platform's 15 minutes; clients reconnect with the last id they saw. */
export const streamLifeMs = 14 * minuteMs

/** Interval at which a stream or a call checks its caller's permission: it ends within 15 s, the check included. */
export const recheckMs = 12 * secondMs
