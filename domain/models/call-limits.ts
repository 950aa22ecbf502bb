import { minuteMs, secondMs } from '../time.ts'

/** Limits and time-outs of a model call; times in ms. */

/** A call is cut after this time, even if somebody still listens. */
export const callLimitMs = 12 * minuteMs

/** After this silence the client gets a comment, so that no gateway closes the stream. */
export const keepAliveMs = 15 * secondMs

/** A client that reads nothing for this long has left. */
export const blockedClientMs = 30 * secondMs

/** Disconnects a provider that is silent for this long after the client has left. */
export const drainMs = minuteMs

export const connectMs = 10 * secondMs

/**
 * The beginning of a stream is held for its first output at most this long, so that another try can replace a failed
 * one.
 */
export const heldBeginningMs = 5 * secondMs

/** Waits before the second, third and fourth try at a provider; a fallback gets one more try only. */
export const providerRetryWaitsMs: readonly number[] = [250, 500, 1_000]
export const fallbackRetryWaitsMs: readonly number[] = [250]

/** A provider that asks for a longer wait is not asked again. */
export const longestRetryAfterMs = 4 * secondMs

/** How much of a provider's refusal is read, in characters, and for how long. */
export const maxRefusalCharacters = 65_536
export const refusalReadMs = 5 * secondMs

export const settleRetryWaitsMs: readonly number[] = [200, 1_000]

/**
 * Informative values are written for the first call of a burst and then at this interval: idleness counts in minutes.
 */
export const informEveryMs = 15 * secondMs

/** After this many similar calls without a new message from the user, calls pause for this time. */
export const alikeLimit = 25
export const repetitionPauseMs = 10 * minuteMs

/** Bytes of an answer that is not a stream. */
export const maxResponseBytes = 32 * 1024 * 1024

/** A larger event passes unread, so that none can fill the memory; bytes. */
export const maxEventBytes = 4 * 1024 * 1024

/** Bytes of a machine's call: bodies too large for API Gateway go through S3. */
export const maxCallBytes = 32 * 1024 * 1024

/** An image's data is one value; millions of small values would fill a function's memory. */
export const maxBodyValues = 1_000_000

/**
 * Addresses for bodies of one instance. An unused one also keeps its slot, which bounds stored bodies that nobody pays
 * for.
 */
export const bodySlots = { max: 30, ttlMs: 5 * minuteMs }

/** The provider bounds the size of an image. */
export const maxImages = 50

/** Web searches of one call: default and maximum, and roughly the tokens of one. */
export const defaultSearches = 5
export const maxSearches = 20
export const searchTokens = 10_000

/** Nesting of a request's objects and lists, and within the caller's own schemas and arguments. */
export const maxDepth = 64
export const maxOwnDepth = 500

/** Output tokens when the caller sets no limit and the model has no smaller one. */
export const defaultOutputTokens = 8_192
