import { bucketSeconds, bucketsCounted, decidingBucket } from '../../../domain/rates/rate-limits.ts'
import { secondMs } from '../../../domain/time.ts'

export const start = Date.parse('2026-11-01T00:00:00.000Z')
export const bucketMs = bucketSeconds * secondMs

const round = 512

/** The store's conditional write: refuses when the count that was read is at the limit, else adds one to the bucket. */
export class ModelWindow {
  /** Buckets by number, reused in rounds: a trace is far shorter than a round. */
  readonly counts = new Uint16Array(round)

  readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  admit(nowMs: number): boolean {
    if ((this.counts[decidingBucket(nowMs) % round] ?? 0) >= this.limit) return false
    for (const bucket of bucketsCounted(nowMs)) this.counts[bucket % round] = (this.counts[bucket % round] ?? 0) + 1
    return true
  }
}

/** A small fast generator of 32-bit numbers, so that one seed describes a trace. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below
  }
}

export const skewMs = 2 * secondMs
const workers = 64

export interface Trace {
  limit: number
  /** The offset of each worker's clock from true time, in ms. */
  clocks: number[]
  /** The true time, the worker and the number of requests of each burst. */
  bursts: { atMs: number; worker: number; requests: number }[]
}

/**
 * Bursts start at edges of some worker's buckets, a window apart, or anywhere; clocks have extreme or random offsets.
 */
export function traceOf(seed: number, fixedLimit?: number): Trace {
  const next = random(seed)
  const limit = fixedLimit ?? 1 + Math.floor(next(8))
  const clocks = Array.from({ length: workers }, () => {
    const kind = next(3)
    return kind < 1 ? -skewMs : kind < 2 ? skewMs : Math.round(next(2 * skewMs) - skewMs)
  })
  const bursts: Trace['bursts'] = []
  let atMs = start + Math.floor(next(bucketMs))
  for (let i = 0; i < 40; i++) {
    const worker = Math.floor(next(workers))
    const kind = next(4)
    if (kind < 1) atMs += Math.floor(next(300))
    else if (kind < 2) atMs += Math.floor(next(20_000))
    else {
      const local = atMs + (clocks[worker] ?? 0) + (kind < 3 ? 0 : 50_000)
      const half = bucketMs / 2
      const edge = Math.ceil(local / half) * half + Math.floor(next(3)) - 1
      atMs = Math.max(atMs, edge - (clocks[worker] ?? 0))
    }
    bursts.push({ atMs, worker, requests: 1 + Math.floor(next(limit + 2)) })
  }
  return { limit, clocks, bursts }
}
