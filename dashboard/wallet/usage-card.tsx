import { useEffect, useState } from 'react'
import type { UsageRow } from '../../domain/wallet/usage.ts'
import { berth, errorText } from '../api/client.ts'
import { statementPath } from '../api/operations.ts'
import { Money } from '../components/money.tsx'
import { Loading } from '../components/notice.tsx'
import { triggerLabel } from '../labels.ts'

const kinds = [
  { by: 'day', label: 'By day', head: 'Day' },
  { by: 'model', label: 'By model', head: 'Model' },
  { by: 'trigger', label: 'By trigger', head: 'Started by' },
] as const
type UsageBy = (typeof kinds)[number]['by']

/** What the last thirty days cost: a table whose bars are for the eye only. */
export function UsageCard() {
  const [by, setBy] = useState<UsageBy>('day')
  const [rows, setRows] = useState<UsageRow[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [tried, setTried] = useState(0)
  useEffect(() => {
    let stale = false
    setRows(null)
    setProblem(null)
    berth.getWalletUsage({ by }).then(
      ({ usage }) => stale || setRows(usage),
      (thrown) => stale || setProblem(errorText(thrown)),
    )
    return () => {
      stale = true
    }
  }, [by, tried])
  const most = Math.max(1, ...(rows ?? []).map(({ amountMicros }) => amountMicros))
  const head = kinds.find((kind) => kind.by === by)?.head ?? 'Day'
  return (
    <section className="card" aria-labelledby="usage-title">
      <div className="section-head">
        <h2 id="usage-title">Last 30 days</h2>
        <a className="button plain" href={statementPath} download="statement.csv">
          Download statement (CSV)
        </a>
      </div>
      <fieldset className="choices three">
        <legend className="visually-hidden">Show usage</legend>
        {kinds.map((kind) => (
          <label key={kind.by} className="choice">
            <input type="radio" name="usage-by" checked={by === kind.by} onChange={() => setBy(kind.by)} />
            <span>{kind.label}</span>
          </label>
        ))}
      </fieldset>
      {rows === null ? (
        <Loading problem={problem} retry={() => setTried(tried + 1)} />
      ) : rows.length === 0 ? (
        <p className="muted">No model calls in the last 30 days.</p>
      ) : (
        <table className="usage">
          <caption className="visually-hidden">Cost of model calls, last 30 days</caption>
          <thead>
            <tr>
              <th scope="col">{head}</th>
              <th scope="col">Calls</th>
              <th scope="col">Tokens</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, calls, inputTokens, outputTokens, amountMicros }) => (
              <tr key={key}>
                <th scope="row">
                  {by === 'trigger' ? triggerLabel(key) : key}
                  <span className="bar" aria-hidden="true" style={{ inlineSize: `${(100 * amountMicros) / most}%` }} />
                </th>
                <td>{calls.toLocaleString('en-US')}</td>
                <td>{(inputTokens + outputTokens).toLocaleString('en-US')}</td>
                <td>
                  <Money micros={amountMicros} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
