/**
 * The sliding window, counted forward. Time is cut into buckets of ten seconds; an admission in bucket k adds one
 * to buckets k…k+6, and is allowed while bucket k is below the limit. Bucket k so holds every admission of buckets
 * k−6…k: at least the last 60 seconds, at most 70. One conditional write can check and count it.
 */
export const bucketSeconds = 10
export const bucketsAhead = 7

/** Requests per minute by class of operation (design: who is asking). */
export const limits = {
  read: 120,
  write: 30,
  mcp: 120,
  llm: 60,
  agent: 240,
  webhook: 600,
  login: 30,
} as const

export type LimitClass = keyof typeof limits

export const bucketOf = (nowMs: number): number => Math.floor(nowMs / (bucketSeconds * 1000))

export const bucketName = (limit: LimitClass, bucket: number): string => `w_${limit}_${bucket}`

/** The attributes an admission at `nowMs` adds one to; the first is the one the condition reads. */
export function bucketNames(limit: LimitClass, nowMs: number): string[] {
  const first = bucketOf(nowMs)
  return Array.from({ length: bucketsAhead }, (_, ahead) => bucketName(limit, first + ahead))
}

/** Counts as stored, by attribute name. */
export type Counts = Readonly<Record<string, number>>

export interface Window {
  limit: number
  /** Requests left in the current window. */
  remaining: number
  /** Seconds until a slot frees. */
  resetSeconds: number
}

/** The window as a caller sees it, after the request that made `counts` was counted or refused. */
export function readWindow(limit: LimitClass, counts: Counts, nowMs: number): Window {
  const now = bucketOf(nowMs)
  const used = counts[bucketName(limit, now)] ?? 0
  let free = 1
  while (free < bucketsAhead && (counts[bucketName(limit, now + free)] ?? 0) >= Math.max(used, 1)) free++
  const resetMs = (now + free) * bucketSeconds * 1000 - nowMs
  return {
    limit: limits[limit],
    remaining: Math.max(0, limits[limit] - used),
    resetSeconds: used === 0 ? 0 : Math.max(1, Math.ceil(resetMs / 1000)),
  }
}

/** Bucket attributes no condition will read again. */
export const staleBuckets = (attributes: Iterable<string>, nowMs: number): string[] => {
  const now = bucketOf(nowMs)
  return [...attributes].filter((name) => name.startsWith('w_') && Number(name.slice(name.lastIndexOf('_') + 1)) < now)
}
