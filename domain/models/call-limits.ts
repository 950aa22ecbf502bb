import { minuteMs, secondMs } from '../time.ts'

/** Limits and time-outs of a model call; times in ms. */

/** A call that has run for this long is cut, even if somebody is still listening. */
export const callLimitMs = 12 * minuteMs

/** Silence after which the client gets a comment, so that no gateway gives up on the stream. */
export const keepAliveMs = 15 * secondMs

/** A client that reads nothing for this long has left. */
export const blockedClientMs = 30 * secondMs

/** A provider that is silent for this long after the client has left is disconnected. */
export const drainMs = minuteMs

/** A provider that does not take a connection in this time is out of reach. */
export const connectMs = 10 * secondMs

/**
 * The beginning of a stream is held back until its first output, so that a failure can be made good by another try; no
 * longer than this.
 */
export const heldBeginningMs = 5 * secondMs

/** Waits before the second, third and fourth try at a provider; a fallback is tried once more only. */
export const providerRetryWaitsMs: readonly number[] = [250, 500, 1_000]
export const fallbackRetryWaitsMs: readonly number[] = [250]

/** A provider that asks to be left alone for longer than this is not asked again. */
export const longestRetryAfterMs = 4 * secondMs

/** How much of a provider's refusal is read, in characters, and for how long. */
export const maxRefusalCharacters = 65_536
export const refusalReadMs = 5 * secondMs

/** Waits before the second and third try of a settlement. */
export const settleRetryWaitsMs: readonly number[] = [200, 1_000]

/**
 * Informative values are written for the first call of a burst and then at this interval: idleness counts in minutes.
 */
export const informEveryMs = 15 * secondMs

/** Alike calls without a new message from the user after which they are stopped, and for how long. */
export const alikeLimit = 25
export const repetitionPauseMs = 10 * minuteMs

/** Largest answer that is not a stream, in bytes. */
export const maxResponseBytes = 32 * 1024 * 1024

/** An event grows no longer than this before its bytes are let through unread, so that none can fill the memory. */
export const maxEventBytes = 4 * 1024 * 1024

/** Largest body of a machine's call, in bytes: what is too large for API Gateway it hands over through S3. */
export const maxCallBytes = 32 * 1024 * 1024

/**
 * Values that such a body may have about: data of images is one, and millions of small ones would fill a function's
 * memory.
 */
export const maxBodyValues = 1_000_000

/**
 * Addresses for bodies that one instance may have at once, and how long each is good. Used or not, one takes its place
 * for as long, so no more than so many bodies that nobody pays for can be kept.
 */
export const bodySlots = { max: 30, ttlMs: 5 * minuteMs }

/** Images a request may have. How large one may be its provider says. */
export const maxImages = 50

/**
 * Searches of the web that one call may have its provider make: unless it says, at most, and about how many tokens one
 * brings.
 */
export const defaultSearches = 5
export const maxSearches = 20
export const searchTokens = 10_000

/** How deep the objects and lists of a request may be nested, and within the caller's own schemas and arguments. */
export const maxDepth = 64
export const maxOwnDepth = 500

/** Output tokens a call may make when its caller sets no limit and the model has none smaller. */
export const defaultOutputTokens = 8_192
