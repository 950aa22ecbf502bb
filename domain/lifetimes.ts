import { dayMs, hourMs, minuteMs, secondMs } from './time.ts'

/** How long what people and machines show, and what is kept of it, is good for; milliseconds. */

/** A mailed sign-in code. */
export const loginCodeTtlMs = 10 * minuteMs

/** A mailed sign-in link: ten minutes longer than the hour in which it can keep another mail from being sent. */
export const loginLinkTtlMs = hourMs + loginCodeTtlMs

/** A browser's cookie after a sign-in, which prevents strangers from using up its e-mails. */
export const knownBrowserTtlMs = 365 * dayMs

/** A passkey's challenge. */
export const challengeTtlMs = 5 * minuteMs

/** A browser session, from its last use. */
export const sessionTtlMs = 30 * dayMs

/** How long a session or token is used before its use is noted again. */
export const useNotedMs = 5 * minuteMs

/** How old a sign-in may be for exporting, deleting and raising limits. */
export const recentSignInMs = 10 * minuteMs

/** An operator's view of a user. */
export const viewTtlMs = 15 * minuteMs

/** How long a deleted account can still be kept by signing in. */
export const erasureGraceMs = 30 * dayMs

/** A personal access token stays listed for this long after its end. */
export const deadTokenKeptMs = 30 * dayMs

/** A machine token, and how long it can be renewed from its first issue. */
export const machineTokenTtlMs = hourMs
export const machineTokenMaxMs = 7 * dayMs

/** The token of a machine's turn. */
export const turnTtlMs = hourMs / 2

/** An event, for a client to resume from. */
export const eventTtlMs = dayMs

/** How long a client's key of a request is remembered. */
export const idempotencyTtlMs = dayMs

/** An event stream ends by itself before the platform's 15 minutes; clients come back with the last id they saw. */
export const streamLifeMs = 14 * minuteMs

/** How often a stream or a call asks whether its caller may still have it: it ends within 15 s, the asking included. */
export const recheckMs = 12 * secondMs
