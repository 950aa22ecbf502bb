import { useEffect, useEffectEvent, useState } from 'react'
import type { Run } from '../../domain/instance/run.ts'
import { ChartTable } from '../chart/chart.tsx'
import { Loading } from '../components/notice.tsx'
import { ShowOlder } from '../components/show-older.tsx'
import { useNow } from '../components/use-now.ts'
import { usePages } from '../data/cache.ts'
import { showDayTime, showDuration } from '../format.ts'
import { instanceTexts } from '../texts/instance.ts'
import { RunChart } from './run-chart.tsx'
import { dayRows } from './run-rows.ts'

const words = instanceTexts.history

/** The machine's runs. Null input: there is no machine. */
export const useHistory = (input: { limit: number } | null = historyInput) =>
  usePages('getInstanceHistory', 'runs', input)

export const historyInput = { limit: 100 }

export function HistoryCard() {
  const { items: runs, problem, reload, more, busy } = useHistory()
  const nowMs = useNow(60_000)
  const oldest = runs?.at(-1)
  const covers = !oldest || Date.parse(oldest.requestedAt) < (dayRows(nowMs).at(-1)?.fromMs ?? 0)
  const readMore = useEffectEvent(() => more?.())
  useEffect(() => {
    if (!covers && !busy && oldest) readMore()
  }, [covers, busy, oldest])
  return (
    <section className="card" aria-labelledby="history-title">
      <h2 id="history-title">{words.title}</h2>
      {(problem || !runs) && <Loading problem={problem} retry={reload} />}
      {runs?.length === 0 && <p className="muted">{words.empty}</p>}
      {runs && runs.length > 0 && (
        <>
          <RunChart runs={runs} nowMs={nowMs} />
          <RunTable runs={runs} more={more} busy={busy} />
        </>
      )}
    </section>
  )
}

const rowsAtOnce = 25

/** The chart may have read more runs than a reader wants to see at once. */
function RunTable({ runs, more, busy }: { runs: readonly Run[]; more: (() => void) | null; busy: boolean }) {
  const [shown, setShown] = useState(rowsAtOnce)
  const hasMore = shown < runs.length || more !== null
  const showMore = () => {
    if (shown + rowsAtOnce > runs.length) more?.()
    setShown(shown + rowsAtOnce)
  }
  return (
    <ChartTable
      summary={words.asTable}
      caption={words.kept}
      columns={[words.run, words.start, words.awake]}
      more={<ShowOlder reads more={hasMore ? showMore : null} busy={busy} />}
    >
      {runs.slice(0, shown).map((run) => (
        <RunRow key={run.generation} run={run} />
      ))}
    </ChartTable>
  )
}

const RunRow = ({ run: { requestedAt, readyAt, endedAt, startSeconds, awakeSeconds, ...why } }: { run: Run }) => (
  <tr>
    <th scope="row">
      <time dateTime={requestedAt}>{showDayTime(requestedAt)}</time>
      <span className="data-note muted">{inWords(why)}</span>
    </th>
    <td>{startSeconds === null ? words.never(endedAt !== null) : showDuration(startSeconds)}</td>
    <td>{readyAt === null ? '–' : showDuration(awakeSeconds)}</td>
  </tr>
)

/** A reason of a later version is shown by its name. */
const inWords = ({ startReason, endReason, failureCode }: Pick<Run, 'startReason' | 'endReason' | 'failureCode'>) =>
  [
    words.starts[startReason] ?? startReason,
    endReason === null ? words.current : (words.ends[endReason] ?? endReason),
    ...(failureCode === null ? [] : [words.failures[failureCode] ?? failureCode]),
  ].join(' ')
