/** The rows of the machine's history, and the runs in them. */
import type { Run } from '../../domain/instance/run.ts'
import { dayMs } from '../../domain/time.ts'

export interface Row {
  fromMs: number
  toMs: number
}

const shownDays = 7

/** The last days of the browser's calendar, newest first. A day has 23 to 25 hours. */
export function dayRows(nowMs: number): Row[] {
  const now = new Date(nowMs)
  const midnight = (daysAgo: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime()
  return Array.from({ length: shownDays }, (_, i) => ({ fromMs: midnight(i), toMs: midnight(i - 1) }))
}

export const lastDay = (nowMs: number): Row => ({ fromMs: nowMs - dayMs, toMs: nowMs })

/** A part of a run in a row; `from` and `to` are shares of the row. */
interface Bar {
  generation: number
  kind: 'starting' | 'awake'
  from: number
  to: number
}

interface RowOfRuns {
  bars: Bar[]
  /** Places of failures, as shares of the row. */
  failures: number[]
  awakeSeconds: number
  runs: number
}

const hasFailed = ({ endReason }: Pick<Run, 'endReason'>): boolean => endReason === 'crash' || endReason === 'failure'

export function rowOf({ fromMs, toMs }: Row, runs: readonly Run[], nowMs: number): RowOfRuns {
  const share = (ms: number) => (ms - fromMs) / (toMs - fromMs)
  const clip = (ms: number) => Math.min(Math.max(ms, fromMs), toMs)
  const row: RowOfRuns = { bars: [], failures: [], awakeSeconds: 0, runs: 0 }
  for (const run of runs) {
    const { generation, requestedAt, readyAt, endedAt } = run
    const [startMs, endMs] = [Date.parse(requestedAt), endedAt ? Date.parse(endedAt) : nowMs]
    if (endMs < fromMs || startMs >= toMs) continue
    row.runs++
    const readyMs = readyAt ? Date.parse(readyAt) : endMs
    const parts = [
      { kind: 'starting', from: clip(startMs), to: clip(readyMs) },
      { kind: 'awake', from: clip(readyMs), to: clip(endMs) },
    ] as const
    for (const { kind, from, to } of parts)
      if (to > from) {
        row.bars.push({ generation, kind, from: share(from), to: share(to) })
        if (kind === 'awake') row.awakeSeconds += (to - from) / 1_000
      }
    if (hasFailed(run) && endMs >= fromMs && endMs < toMs) row.failures.push(share(endMs))
  }
  return row
}
