import type { Run } from '../../domain/instance/run.ts'
import { ChartAxis } from '../chart/chart.tsx'
import { showClock, showDuration, showWeekday } from '../format.ts'
import { instanceTexts } from '../texts/instance.ts'
import { dayRows, lastDay, type Row, rowOf } from './run-rows.ts'

const words = instanceTexts.history

interface RunChartProps {
  runs: readonly Run[]
  nowMs: number
}

/** A time line for each of the last days; on a narrow screen, one for the last 24 hours. */
export function RunChart({ runs, nowMs }: RunChartProps) {
  const days = dayRows(nowMs)
  const [today] = days
  const day = lastDay(nowMs)
  const noonMs = today ? today.fromMs + (today.toMs - today.fromMs) / 2 : nowMs
  return (
    <figure className="runs-figure">
      <div className="runs-week">
        {days.map((row) => (
          <TimeLine key={row.fromMs} name={row === today ? words.today : nameOf(row)} {...{ row, runs, nowMs }} />
        ))}
        <ChartAxis>
          {[today?.fromMs ?? 0, noonMs, today?.toMs ?? 0].map((ms) => (
            <span key={ms}>{clock(ms)}</span>
          ))}
        </ChartAxis>
      </div>
      <div className="runs-day">
        <TimeLine name={words.lastDay} row={day} runs={runs} nowMs={nowMs} />
        <ChartAxis>
          <span>{clock(day.fromMs)}</span>
          <span>{words.now}</span>
        </ChartAxis>
      </div>
      <figcaption className="runs-legend muted" aria-hidden="true">
        {(['awake', 'starting', 'failed'] as const).map((part) => (
          <span key={part}>
            <span className={`swatch run-${part}`} />
            {words.parts[part]}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

const nameOf = ({ fromMs }: Row): string => showWeekday(new Date(fromMs).toISOString())
const clock = (ms: number): string => showClock(new Date(ms).toISOString())

/** Width of the drawing. Its bars are stretched to the width of the page. */
const width = 1_000
/** Shorter bars would be invisible. */
const leastWidth = 2

function TimeLine({ name, row, runs, nowMs }: RunChartProps & { name: string; row: Row }) {
  const { bars, failures, awakeSeconds, runs: count } = rowOf(row, runs, nowMs)
  return (
    <div className="runs-row">
      <span className="muted">{name}</span>
      <svg className="runs-line" viewBox={`0 0 ${width} 12`} preserveAspectRatio="none" aria-hidden="true">
        <rect className="runs-ground" x={0} y={2} width={width} height={8} />
        {bars.map(({ generation, kind, from, to }) => (
          <rect
            key={`${generation} ${kind}`}
            className={`run-${kind}`}
            x={from * width}
            y={2}
            width={Math.max((to - from) * width, leastWidth)}
            height={8}
          />
        ))}
        {failures.map((at) => (
          <rect key={at} className="run-failed" x={at * width} y={0} width={3} height={12} />
        ))}
      </svg>
      <span>
        {awakeSeconds > 0 ? showDuration(awakeSeconds) : words.notAwake}
        <span className="visually-hidden"> {words.counts(count, failures.length)}</span>
      </span>
    </div>
  )
}
