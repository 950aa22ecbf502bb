import type { ReactNode } from 'react'
import '../styles/chart.css'

/** Labels below a chart, each in a `span`, from its left to its right edge. */
export const ChartAxis = ({ children }: { children: ReactNode }) => (
  <div className="chart-axis muted" aria-hidden="true">
    {children}
  </div>
)

interface ChartTableProps {
  /** The text that opens the table. */
  summary: string
  caption: string
  columns: readonly string[]
  /** The rows. */
  children: ReactNode
  /** Below the table. */
  more?: ReactNode
}

/** The chart's data, for people who cannot see it or want to read it. */
export const ChartTable = ({ summary, caption, columns, children, more }: ChartTableProps) => (
  <details className="chart-table">
    <summary>{summary}</summary>
    <table className="data-table">
      <caption className="muted">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
    {more}
  </details>
)
