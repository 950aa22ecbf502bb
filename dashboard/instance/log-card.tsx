import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { LogLine } from '../../domain/instance/logs.ts'
import { Button } from '../components/button.tsx'
import { ChoiceField } from '../components/choice-field.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { save } from '../components/save.ts'
import { TextField } from '../components/text-field.tsx'
import { useRepeated } from '../components/use-repeated.ts'
import { berth, errorText } from '../data/client.ts'
import { showSecond } from '../format.ts'
import { useSearchState } from '../router.tsx'
import { texts } from '../texts/index.ts'
import { instanceTexts } from '../texts/instance.ts'
import { fitsFilter, levelOf, mergeLines, readLine } from './log-lines.ts'

const words = instanceTexts.log

/** Poll interval while the log is followed, ms. */
const followMs = 4_000

/** A line may be written after younger ones: this far back is read again, ms. */
const overlapMs = 15_000

export function LogCard() {
  const { lines, problem, read } = useLog()
  const [follow, setFollow] = useState(true)
  const [filter, setFilter] = useSearchState<string>('filter', '')
  const [level, setLevel] = useSearchState<string>('level', 'all')
  useRepeated(read, follow ? followMs : null)
  const shown = lines?.filter((line) => fitsFilter(line, { filter, level })) ?? []
  return (
    <section className="card" aria-labelledby="log-title">
      <h2 id="log-title">{words.title}</h2>
      <p className="hint">{words.hint}</p>
      <div className="fields log-filter">
        <TextField
          label={words.filter}
          data-reads
          type="search"
          maxLength={100}
          placeholder={words.filterPlaceholder}
          value={filter}
          onText={(text) => setFilter(text, { replace: true })}
        />
        <ChoiceField
          label={words.level}
          data-reads
          value={level}
          options={Object.entries(words.levels)}
          onChoice={setLevel}
        />
        <label className="checkbox">
          <input data-reads type="checkbox" checked={follow} onChange={(event) => setFollow(event.target.checked)} />
          {words.follow}
        </label>
      </div>
      {problem && lines && (
        <Notice tone="info" action={{ label: texts.common.tryAgain, run: read }}>
          {words.failed} {problem}
        </Notice>
      )}
      {!lines && <Loading problem={problem} retry={read} />}
      {lines?.length === 0 && <p className="muted">{words.empty}</p>}
      {lines && lines.length > 0 && shown.length === 0 && <p className="muted">{words.noMatch}</p>}
      {shown.length > 0 && <Lines lines={shown} follow={follow} />}
      {lines && lines.length > 0 && (
        <div className="card-head">
          <p className="hint">{words.shown(shown.length, lines.length)}</p>
          <Button disabled={shown.length === 0} onClick={() => save('machine-log.txt', asText(shown), 'text/plain')}>
            {words.download}
          </Button>
        </div>
      )}
    </section>
  )
}

const asText = (lines: readonly LogLine[]) => lines.map(({ at, message }) => `${at} ${message}\n`)

function Lines({ lines, follow }: { lines: readonly LogLine[]; follow: boolean }) {
  const frame = useRef<HTMLElement>(null)
  const last = lines.at(-1)
  useLayoutEffect(() => {
    if (follow && frame.current) frame.current.scrollTop = frame.current.scrollHeight
  }, [follow, last])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={frame} className="machine-log" tabIndex={0} aria-label={words.lines}>
      <ol>
        {lines.map((line, index) => (
          <Line key={`${line.at} ${index}`} line={line} />
        ))}
      </ol>
    </section>
  )
}

function Line({ line: { at, message } }: { line: LogLine }) {
  const { text, facts } = readLine(message)
  return (
    <li className={levelOf(message)}>
      <time dateTime={at}>{showSecond(at)}</time> {text} {facts && <span className="muted">{facts}</span>}
    </li>
  )
}

/** The last hour's lines and later ones, oldest first; null until read. */
function useLog() {
  const [lines, setLines] = useState<LogLine[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const newest = useRef<string | null>(null)
  const reading = useRef(false)
  const read = useCallback(async () => {
    if (reading.current) return
    reading.current = true
    try {
      const since = newest.current === null ? undefined : new Date(Date.parse(newest.current) - overlapMs).toISOString()
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<typeof berth.getInstanceLogs>> = await berth.getInstanceLogs({
          limit: 500,
          since,
          ...(cursor && { cursor }),
        })
        newest.current = page.lines.at(-1)?.at ?? newest.current
        setLines((before) => mergeLines(before ?? [], page.lines))
        cursor = page.nextCursor
      } while (cursor)
      setProblem(null)
    } catch (thrown) {
      setProblem(errorText(thrown))
    } finally {
      reading.current = false
    }
  }, [])
  useEffect(() => void read(), [read])
  return { lines, problem, read }
}
