import fc from 'fast-check'
import { bucketNames, bucketSeconds, limits, readWindow, staleBuckets } from '../../../domain/tokens/window.ts'
import { seeded } from '../../counts.ts'

const limit = limits.login

/** The conditional write of the store: refuse at the limit, else add one to seven buckets. */
function admit(counts: Record<string, number>, nowMs: number): boolean {
  const names = bucketNames('login', nowMs)
  if ((counts[names[0] ?? ''] ?? 0) >= limit) return false
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return true
}

const start = Date.parse('2026-11-01T00:00:00.000Z')

describe('the window counted forward', () => {
  test('never admits more than the limit in any 60 seconds, against an exact log', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 200 }), (gaps) => {
        const counts: Record<string, number> = {}
        const admitted: number[] = []
        let now = start
        for (const gap of gaps) {
          now += gap
          if (admit(counts, now)) admitted.push(now)
          const inWindow = admitted.filter((at) => at > now - 60_000).length
          expect(inWindow).toBeLessThanOrEqual(limit)
        }
      }),
      seeded(5_000),
    )
  })

  test('frees a slot at most two buckets after the exact window would', () => {
    const counts: Record<string, number> = {}
    for (let i = 0; i < limit; i++) expect(admit(counts, start + 9_999)).toBe(true)
    expect(admit(counts, start + 9_999)).toBe(false)
    expect(admit(counts, start + 9_999 + 60_000 + 2 * bucketSeconds * 1000)).toBe(true)
  })

  test('says what is left and when a slot frees', () => {
    const counts: Record<string, number> = {}
    admit(counts, start)
    expect(readWindow('login', counts, start)).toEqual({ limit, remaining: limit - 1, resetSeconds: 70 })
    for (let i = 1; i < limit; i++) admit(counts, start)
    const full = readWindow('login', counts, start + 5_000)
    expect(full).toEqual({ limit, remaining: 0, resetSeconds: 65 })
    expect(admit(counts, start + 5_000 + full.resetSeconds * 1000)).toBe(true)
  })

  test('nothing that a condition still reads counts as stale', () => {
    const names = bucketNames('read', start)
    expect(staleBuckets(names, start)).toEqual([])
    expect(staleBuckets([...names, 'userId', 'w'], start + 100_000)).toEqual(names)
  })
})
