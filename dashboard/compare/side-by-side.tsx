import { useMemo, useState } from 'react'
import { Button } from '../components/button.tsx'
import { shownName } from '../components/shown-name.ts'
import { showCount } from '../format.ts'
import { compareTexts } from '../texts/compare.ts'
import { type Cell, folded, type Piece, piecesOf, type Row, rowsOf, takenBack } from './text-rows.ts'
import '../styles/compare.css'

const words = compareTexts

export interface SideBySideProps {
  before: string
  after: string
  names: { before: string; after: string }
  /** Takes back a change; receives the later text without it. */
  onTake?: ((after: string) => void) | undefined
}

const mostRows = 400

/** Two texts side by side, or one below the other on narrow screens; each line says in words how it changed. */
export function SideBySide({ before, after, names, onTake }: SideBySideProps) {
  const rows = useMemo(() => rowsOf(before, after), [before, after])
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const [most, setMost] = useState(mostRows)
  if (before === after) return <p className="muted">{words.same}</p>
  const shown = folded(rows).flatMap((row) =>
    'hidden' in row && open.has(row.from) ? rows.slice(row.from, row.from + row.hidden) : row,
  )
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take focus to be scrolled by keys */}
      <section className="compare" tabIndex={0} aria-label={words.between(names.before, names.after)}>
        <table>
          <thead>
            <tr>
              <th scope="col">{names.before}</th>
              <th scope="col">{names.after}</th>
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, most).map((row, index) =>
              'hidden' in row ? (
                <tr key={`fold ${row.from}`} className="compare-fold">
                  <td colSpan={2}>
                    <button type="button" className="link-button" onClick={() => setOpen(new Set([...open, row.from]))}>
                      {words.fold(showCount(row.hidden))}
                    </button>
                  </td>
                </tr>
              ) : (
                <RowLine
                  key={`${row.before?.line}-${row.after?.line}`}
                  row={row}
                  onTake={onTake && isFirst(shown, index) ? () => onTake(takenBack(rows, row.change ?? -1)) : undefined}
                />
              ),
            )}
          </tbody>
        </table>
      </section>
      {shown.length > most && (
        <p>
          <Button onClick={() => setMost(most + mostRows)}>{words.more(showCount(shown.length - most))}</Button>
        </p>
      )}
    </>
  )
}

function isFirst(rows: readonly (Row | { hidden: number })[], index: number): boolean {
  const [row, last] = [rows[index], rows[index - 1]]
  if (!row || 'hidden' in row || row.change === null) return false
  return !last || 'hidden' in last || last.change !== row.change
}

function RowLine({ row, onTake }: { row: Row; onTake: (() => void) | undefined }) {
  const pieces = piecesOf(row)
  if (row.change === null)
    return (
      <tr className="compare-same">
        <Side cell={row.before} pieces={pieces.before} />
        <Side cell={row.after} pieces={pieces.after} />
      </tr>
    )
  return (
    <tr>
      <Side cell={row.before} pieces={pieces.before} look="removed">
        {onTake && (
          <button type="button" className="link-button compare-take" onClick={onTake}>
            {words.take}
          </button>
        )}
      </Side>
      <Side cell={row.after} pieces={pieces.after} look="added" />
    </tr>
  )
}

interface SideProps {
  cell: Cell | null
  pieces: Piece[]
  look?: 'added' | 'removed'
  children?: React.ReactNode
}

function Side({ cell, pieces, look, children }: SideProps) {
  if (!cell) return <td className={children ? 'compare-none has-act' : 'compare-none'}>{children}</td>
  return (
    <td className={look && `compare-${look}`}>
      <span className="compare-number" aria-hidden="true">
        {cell.line}
      </span>
      {look && <span className="visually-hidden">{words[look]} </span>}
      <bdi className="compare-text">
        {pieces.map(({ text, isChanged }, index) =>
          isChanged ? <mark key={index}>{visible(text)}</mark> : <span key={index}>{visible(text)}</span>,
        )}
      </bdi>
      {children}
    </td>
  )
}

const visible = (text: string): string => text.split('\t').map(shownName).join('\t')
