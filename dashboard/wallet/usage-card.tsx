import { useState } from 'react'
import type { UsageReport } from '../../clients/typescript/operations.ts'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { downloadStatement } from '../data/operations.ts'
import { walletTexts } from '../texts/wallet.ts'
import { type Dimension, keyName } from './names.ts'
import { UsageChart } from './usage-chart.tsx'
import { UsageFilters } from './usage-filters.tsx'
import { binsOf } from './usage-range.ts'
import type { UsageSearch } from './usage-search.ts'
import { DayTable, TotalTable } from './usage-tables.tsx'

/** The previous answer stays on screen until the next one arrives. */
function useLast<T>(data: T | null): T | null {
  const [last, setLast] = useState(data)
  if (data !== null && data !== last) setLast(data)
  return data ?? last
}

function useNames(report: UsageReport | null, by: Dimension, search: UsageSearch, isOpen: boolean) {
  const wants = (of: Dimension) => isOpen || by === of || search.filterOf(of) !== ''
  const { data: tokens } = useRead('listTokens', wants('token') && report ? {} : null)
  const { data: list } = useRead('listConversations', wants('conversation') && report ? { limit: 100 } : null)
  const known = { tokens: tokens?.tokens ?? [], conversations: list?.conversations ?? [] }
  return (of: Dimension, key: string) => keyName(of, key, known)
}

export function UsageCard({ search }: { search: UsageSearch }) {
  const words = walletTexts.usage
  const { data, problem, reload } = useRead('getWalletUsage', search.input)
  const report = useLast(data)
  const [isNear, setIsNear] = useState(false)
  const nameOf = useNames(report, search.by, search, isNear)
  const download = useAction(() => downloadStatement(search.days))
  return (
    <section className="card" aria-labelledby="usage-title">
      <div className="section-head">
        <h2 id="usage-title">{words.title}</h2>
        <Button busy={download.busy} disabled={search.input === null} onClick={() => download.run()}>
          {words.download}
        </Button>
      </div>
      {download.problem && <Notice tone="bad">{download.problem}</Notice>}
      <UsageFilters search={search} seen={report?.seen} nameOf={nameOf} onNear={() => setIsNear(true)} />
      {search.input === null && <p className="field-problem">{words.badRange}</p>}
      {problem && <Loading problem={problem} retry={reload} />}
      {report && search.input && (
        <div className="usage-answer" aria-busy={data === null}>
          <Answer report={report} search={search} nameOf={nameOf} />
        </div>
      )}
    </section>
  )
}

interface AnswerProps {
  report: UsageReport
  search: UsageSearch
  nameOf: (of: Dimension, key: string) => string
}

function Answer({ report, search, nameOf }: AnswerProps) {
  const words = walletTexts.usage
  const { by } = search
  if (report.total.calls === 0)
    return <p className="muted usage-nothing">{search.isFiltered ? words.nothingFiltered : words.nothing}</p>
  const keys = [...new Set(report.days.flatMap(({ parts }) => parts.map(({ key }) => key)))]
  const cost = new Map(report.usage.map(({ key, amountMicros }) => [key, amountMicros]))
  // `other` is last.
  const order = (key: string) => (key === 'other' ? -1 : (cost.get(key) ?? 0))
  const parts = keys.sort((a, b) => order(b) - order(a)).map((key) => ({ key, name: nameOf(by, key) }))
  const bins = binsOf(report.days, search.days)
  return (
    <>
      <UsageChart key={`${search.days.from} ${search.days.to}`} bins={bins} parts={parts} />
      <TotalTable report={report} parts={parts} by={by} nameOf={nameOf} onOnly={(key) => search.setFilter(by, key)} />
      <DayTable bins={bins} parts={parts} />
    </>
  )
}
