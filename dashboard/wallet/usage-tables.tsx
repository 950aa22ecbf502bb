import type { UsageReport } from '../../clients/typescript/operations.ts'
import { ChartTable } from '../chart/chart.tsx'
import { Money } from '../components/money.tsx'
import { showCount } from '../format.ts'
import { walletTexts } from '../texts/wallet.ts'
import type { Dimension } from './names.ts'
import { type ChartPart, nameOf as nameOfBin, partsInWords } from './usage-chart.tsx'
import type { Bin } from './usage-range.ts'

interface TotalProps {
  report: UsageReport
  parts: readonly ChartPart[]
  by: Dimension
  nameOf: (of: Dimension, key: string) => string
  onOnly: (key: string) => void
}

/** The total of each part, largest first: the chart's legend, with numbers. */
export function TotalTable({ report: { usage, total }, parts, by, nameOf, onOnly }: TotalProps) {
  const words = walletTexts.usage
  const rows = [...usage].sort((a, b) => b.amountMicros - a.amountMicros)
  const colour = (key: string) => {
    const at = parts.findIndex((part) => part.key === key)
    return at < 0 ? parts.length - 1 : at
  }
  return (
    <div className="table-frame">
      <table className="data-table usage-totals">
        <caption className="visually-hidden">{words.costBy(words.by[by])}</caption>
        <thead>
          <tr>
            <th scope="col">{words.by[by]}</th>
            <th scope="col">{words.calls}</th>
            <th scope="col">{words.tokens}</th>
            <th scope="col">{words.cost}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, calls, inputTokens, outputTokens, amountMicros }) => (
            <tr key={key}>
              <th scope="row">
                <span className={`swatch part-${colour(key)}`} aria-hidden="true" />
                {key === 'other' ? (
                  words.other
                ) : (
                  <button
                    type="button"
                    className="link-button"
                    data-reads
                    aria-label={words.showOnly(nameOf(by, key))}
                    onClick={() => onOnly(key)}
                  >
                    {nameOf(by, key)}
                  </button>
                )}
              </th>
              <td>{showCount(calls)}</td>
              <td>{showCount(inputTokens + outputTokens)}</td>
              <td>
                <Money micros={amountMicros} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{words.total}</th>
            <td>{showCount(total.calls)}</td>
            <td>{showCount(total.inputTokens + total.outputTokens)}</td>
            <td>
              <Money micros={total.amountMicros} />
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

export function DayTable({ bins, parts }: { bins: readonly Bin[]; parts: readonly ChartPart[] }) {
  const words = walletTexts.usage
  const used = bins.filter(({ calls }) => calls > 0)
  return (
    <ChartTable summary={words.asTable} caption={words.utc} columns={[words.day, words.calls, words.cost]}>
      {used.map((bin) => (
        <tr key={bin.from}>
          <th scope="row">
            {nameOfBin(bin)}
            <span className="data-note muted">{partsInWords(bin, parts)}</span>
          </th>
          <td>{showCount(bin.calls)}</td>
          <td>
            <Money micros={bin.amountMicros} />
          </td>
        </tr>
      ))}
    </ChartTable>
  )
}
