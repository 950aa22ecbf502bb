import { secondMs } from '../time.ts'

/** Requests per minute of one window's owner (`WindowOwner`), by the operation's `limit`: sending a chat message is a `write`. */
export const limits = {
  read: 240,
  write: 30,
  /** All requests of an operator. */
  operator: 120,
  llm: 60,
  agent: 240,
  /** Messages over all connections of a kind of caller: ten a second while a reply grows, and some. */
  socket: 900,
  /** Connections opened, each stream's own among them. */
  connect: 120,
  webhook: 600,
  /** Messages of one person in all chats of a platform; their commands and buttons are counted by themselves. */
  chat: 30,
  /** Messages of all people in a group there; the one whom it is linked to is heard beyond that. */
  group: 120,
  /** Deliveries to all hooks of a user, and of one address those without a hook's secret. */
  hook: 60,
  login: 30,
} as const

/**
 * Event streams a user may have open at once, whatever the session or token. A function does not hear of a client that
 * has left, so at the limit the oldest stream of the same token or session makes room for a new one, and where it has
 * none, one of another that was opened a while ago.
 */
export const streamSlots = { max: 4, ttlMs: 40 * secondMs, evictAfterMs: 20 * secondMs }

/**
 * The sliding window, counted forward. Time is cut into buckets of ten seconds; an admission in bucket k adds one to
 * buckets k…k+7, and is allowed while the bucket of half a bucket later is below the limit. Workers' clocks differ by
 * up to 2 s either way, so another's admission of the last 60 s may carry a time up to 64 s back or 4 s ahead: the
 * bucket that is read has counted all of those, wherever in its bucket the reader stands. One conditional write can
 * check and count it, and a slot frees at most 15 s late, 19 s with clocks apart.
 */
export const bucketSeconds = 10
export const bucketsAhead = 8

const bucketMs = bucketSeconds * secondMs

/** How far ahead of its own clock a worker reads; between the 4 s clocks may be apart and the 6 s buckets allow. */
const readAheadMs = bucketMs / 2

export type LimitClass = keyof typeof limits

export const bucketOf = (nowMs: number): number => Math.floor(nowMs / bucketMs)

export const bucketName = (limit: LimitClass, bucket: number): string => `w_${limit}_${bucket}`

/** The bucket whose count decides on an admission at `nowMs`. */
export const decidingBucket = (nowMs: number): number => bucketOf(nowMs + readAheadMs)

/** The buckets an admission at `nowMs` adds one to. */
export const bucketsCounted = (nowMs: number): number[] =>
  Array.from({ length: bucketsAhead }, (_, ahead) => bucketOf(nowMs) + ahead)

/** Counts as stored, by attribute name. */
export type Counts = Readonly<Record<string, number>>

export interface Window {
  limit: number
  /** Requests left in the current window. */
  remaining: number
  /** Seconds until a slot frees. */
  resetSeconds: number
}

/** How many of the window's requests are used at `nowMs`. */
export const usedOf = (limit: LimitClass, counts: Counts, nowMs: number): number =>
  counts[bucketName(limit, decidingBucket(nowMs))] ?? 0

/** The window as a caller sees it, after the request that made `counts` was counted or refused. */
export function readWindow(limit: LimitClass, counts: Counts, nowMs: number): Window {
  const read = decidingBucket(nowMs)
  const used = usedOf(limit, counts, nowMs)
  let free = 1
  while (free < bucketsAhead && (counts[bucketName(limit, read + free)] ?? 0) >= Math.max(used, 1)) free++
  const resetMs = (read + free) * bucketMs - readAheadMs - nowMs
  return {
    limit: limits[limit],
    remaining: Math.max(0, limits[limit] - used),
    resetSeconds: used === 0 ? 0 : Math.max(1, Math.ceil(resetMs / secondMs)),
  }
}

/** Bucket attributes no condition will read again. */
export const staleBuckets = (attributes: Iterable<string>, nowMs: number): string[] => {
  const now = bucketOf(nowMs)
  return [...attributes].filter((name) => name.startsWith('w_') && Number(name.slice(name.lastIndexOf('_') + 1)) < now)
}
