import fc from 'fast-check'
import {
  bucketName,
  bucketSeconds,
  bucketsCounted,
  limits,
  readWindow,
  staleBuckets,
} from '../../../domain/rates/rate-limits.ts'
import { minuteMs, secondMs } from '../../../domain/time.ts'
import { cases, seeded } from '../../counts.ts'
import { bucketMs, ModelWindow, skewMs, start, type Trace, traceOf } from './traces.ts'

/** The maximum number of requests that a trace gets admitted in one minute of true time. */
function mostInAMinute({ limit, clocks, bursts }: Trace): number {
  const window = new ModelWindow(limit)
  const log: number[] = []
  let [first, most] = [0, 0]
  for (const { atMs, worker, requests } of bursts) {
    for (let i = 0; i < requests && window.admit(atMs + (clocks[worker] ?? 0)); i++) log.push(atMs)
    while ((log[first] ?? atMs) <= atMs - minuteMs) first++
    most = Math.max(most, log.length - first)
  }
  return most
}

describe('the rate window with counts ahead', () => {
  test('admits none too many on any trace of 64 workers with clocks 2 s off, against an exact log', () => {
    let full = 0
    const over: number[] = []
    const traces = cases(100_000)
    for (let seed = 1; seed <= traces; seed++) {
      const trace = traceOf(seed)
      const most = mostInAMinute(trace)
      if (most > trace.limit) over.push(seed)
      if (most === trace.limit) full++
    }
    expect(over).toEqual([])
    expect(full).toBeGreaterThan(traces * 0.9)
  })

  test('frees a slot at most two buckets later than the exact window, whichever clock is slow', () => {
    const anyClock = fc.integer({ min: -skewMs, max: skewMs })
    fc.assert(
      fc.property(fc.nat(bucketMs), anyClock, anyClock, (at, writer, reader) => {
        const window = new ModelWindow(1)
        expect(window.admit(start + at + writer)).toBe(true)
        expect(window.admit(start + at + minuteMs - 1 + reader)).toBe(false)
        expect(window.admit(start + at + minuteMs + 2 * bucketMs + reader)).toBe(true)
      }),
      seeded(20_000),
    )
  })

  test('counts no refused request', () => {
    const window = new ModelWindow(1)
    window.admit(start)
    const before = window.counts.slice()
    for (let i = 0; i < 100; i++) expect(window.admit(start + i)).toBe(false)
    expect(window.counts).toEqual(before)
  })
})

describe('the rate window for its caller', () => {
  const counted = (...times: number[]) => {
    const counts: Record<string, number> = {}
    for (const at of times) {
      for (const bucket of bucketsCounted(at)) {
        const name = bucketName('login', bucket)
        counts[name] = (counts[name] ?? 0) + 1
      }
    }
    return counts
  }
  const limit = limits.login

  test('says how many requests are left and when a slot frees', () => {
    expect(readWindow('login', {}, start)).toEqual({ limit, remaining: limit, resetSeconds: 0 })
    expect(readWindow('login', counted(start), start)).toEqual({ limit, remaining: limit - 1, resetSeconds: 75 })
    const full = counted(...Array.from({ length: limit }, () => start))
    expect(readWindow('login', full, start + 5_000)).toEqual({ limit, remaining: 0, resetSeconds: 70 })
  })

  test('admits a caller after the given wait, and not a bucket earlier', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(80_000), { minLength: limit, maxLength: limit }), fc.nat(9_999), (gaps, later) => {
        const times = gaps.map((gap) => start + gap).sort((a, b) => a - b)
        const now = (times.at(-1) ?? start) + later
        const counts = counted(...times)
        const { remaining, resetSeconds } = readWindow('login', counts, now)
        const left = (at: number) => readWindow('login', counts, at).remaining
        expect(left(now + resetSeconds * secondMs)).toBeGreaterThan(remaining)
        if (resetSeconds > bucketSeconds) expect(left(now + (resetSeconds - bucketSeconds) * secondMs)).toBe(remaining)
      }),
      seeded(5_000),
    )
  })

  test('never drops a count that a condition still reads', () => {
    const names = bucketsCounted(start).map((bucket) => bucketName('read', bucket))
    expect(staleBuckets(names, start)).toEqual([])
    expect(staleBuckets([...names, 'userId', 'w'], start + 100_000)).toEqual(names)
  })
})
