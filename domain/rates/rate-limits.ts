import { secondMs } from '../time.ts'

/** Requests per minute in a window of one `WindowOwner`. Sending a chat message is a `write`. */
export const limits = {
  read: 240,
  write: 30,
  operator: 120,
  llm: 60,
  agent: 240,
  /** Messages over all connections of a kind of caller: ten a second while a reply grows, and some reserve. */
  socket: 900,
  /** Opened connections, including those of single streams. */
  connect: 120,
  webhook: 600,
  /** Messages of one person in all chats of a platform; commands and buttons count separately. */
  chat: 30,
  /** Messages of all people in a group. Its linked user is heard beyond this limit. */
  group: 120,
  /** Deliveries to all hooks of a user, and from one address without a hook's secret. */
  hook: 60,
  login: 30,
} as const

/**
 * A function does not notice a client that left. At the limit a new stream therefore replaces the oldest one of the
 * same token or session, or else an older one of another.
 */
export const streamSlots = { max: 4, ttlMs: 40 * secondMs, evictAfterMs: 20 * secondMs }

/**
 * All users share these slots: `subscriptions/listen` is a POST, so its streams hold executions of the function that
 * answers tool calls, and must leave half of them. At the limit a new listener replaces the oldest one, which listens again.
 */
export const listenerSlots = { max: 50, ttlMs: 40 * secondMs, evictAfterMs: 60 * secondMs }

/**
 * One user's downloads from restore points, which this service relays as fast as the client reads. A function does not
 * notice that a client left, so a new download may end an old one.
 */
export const downloadSlots = { max: 6, ttlMs: 40 * secondMs, evictAfterMs: 60 * secondMs }

/**
 * The sliding window, counted forward. Time is cut into buckets of ten seconds; an admission in bucket k adds one to
 * buckets k…k+7, and is allowed while the bucket of half a bucket later is below the limit. Workers' clocks differ by
 * up to 2 s either way, so another's admission of the last 60 s may carry a time up to 64 s back or 4 s ahead: the
 * bucket that is read has counted all of those, wherever in its bucket the reader stands. One conditional write can
 * check and count it, and a slot frees at most 15 s late, 19 s with clocks apart.
 */
export const bucketSeconds = 10
const bucketsAhead = 8

const bucketMs = bucketSeconds * secondMs

/** Between the 4 s that clocks may differ and the 6 s that the buckets allow. */
const readAheadMs = bucketMs / 2

export type LimitClass = keyof typeof limits

export const bucketOf = (nowMs: number): number => Math.floor(nowMs / bucketMs)

export const bucketName = (limit: LimitClass, bucket: number): string => `w_${limit}_${bucket}`

export const decidingBucket = (nowMs: number): number => bucketOf(nowMs + readAheadMs)

export const bucketsCounted = (nowMs: number): number[] =>
  Array.from({ length: bucketsAhead }, (_, ahead) => bucketOf(nowMs) + ahead)

/** By attribute name, as stored. */
export type Counts = Readonly<Record<string, number>>

export interface Window {
  limit: number
  remaining: number
  resetSeconds: number
}

export const usedOf = (limit: LimitClass, counts: Counts, nowMs: number): number =>
  counts[bucketName(limit, decidingBucket(nowMs))] ?? 0

/** The caller's view of the window, after the request behind `counts` was counted or refused. */
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

export const staleBuckets = (attributes: Iterable<string>, nowMs: number): string[] => {
  const now = bucketOf(nowMs)
  return [...attributes].filter((name) => name.startsWith('w_') && Number(name.slice(name.lastIndexOf('_') + 1)) < now)
}
