import { dayRows, lastDay, rowOf } from '../../dashboard/instance/run-rows.ts'
import { type StoredRun, showRun } from '../../domain/instance/run.ts'
import { dayMs, iso, minuteMs } from '../../domain/time.ts'

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')

/** Times are minutes before now. */
function run(
  requested: number,
  ready: number | null,
  ended: number | null,
  endReason: StoredRun['endReason'] = 'idle',
) {
  const at = (minutes: number) => iso(nowMs - minutes * minuteMs)
  const stored: StoredRun = {
    generation: 10_000 - requested,
    requestedAt: at(requested),
    startReason: 'message',
    readyAt: ready === null ? null : at(ready),
    endedAt: ended === null ? null : at(ended),
    endReason: ended === null ? null : endReason,
    failureCode: null,
  }
  return showRun(stored, nowMs)
}

describe('a row of the history', () => {
  test('has the parts of runs within it, as shares of the row', () => {
    const half = { fromMs: nowMs - 100 * minuteMs, toMs: nowMs }
    const row = rowOf(half, [run(20, 10, null), run(130, 120, 90), run(300, 290, 200)], nowMs)
    expect(row).toMatchObject({ runs: 2, awakeSeconds: 20 * 60, failures: [] })
    expect(row.bars.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['starting', 0.8, 0.9],
      ['awake', 0.9, 1],
      ['awake', 0, 0.1],
    ])
  })

  test('marks failures in the row in which they happened', () => {
    const runs = [run(60, null, 50, 'failure'), run(90, 80, 70, 'crash'), run(1_500, 1_490, 1_450, 'crash')]
    const [today, before] = [lastDay(nowMs), { fromMs: nowMs - 2 * dayMs, toMs: nowMs - dayMs }]
    expect(rowOf(today, runs, nowMs).failures).toHaveLength(2)
    expect(rowOf(before, runs, nowMs)).toMatchObject({ runs: 1, failures: [expect.any(Number)] })
  })

  test('counts a run across midnight in both days, and each second once', () => {
    const [today, yesterday] = dayRows(nowMs)
    if (!today || !yesterday) throw new Error('there are no days')
    const sinceMidnight = (nowMs - today.fromMs) / minuteMs
    const across = [run(sinceMidnight + 30, sinceMidnight + 20, sinceMidnight - 10)]
    const [a, b] = [rowOf(today, across, nowMs), rowOf(yesterday, across, nowMs)]
    expect([a.awakeSeconds, b.awakeSeconds, a.runs, b.runs]).toEqual([600, 1_200, 1, 1])
  })
})

test('the days are consecutive and end with today', () => {
  const days = dayRows(nowMs)
  expect(days).toHaveLength(7)
  for (const [i, { fromMs, toMs }] of days.entries()) {
    expect(fromMs).toBe(days[i + 1]?.toMs ?? fromMs)
    expect(toMs).toBeGreaterThan(fromMs)
  }
  expect(days[0]?.fromMs).toBeLessThanOrEqual(nowMs)
  expect(days[0]?.toMs).toBeGreaterThan(nowMs)
})
