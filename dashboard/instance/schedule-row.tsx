import { useState } from 'react'
import { formatMicros } from '../../domain/dollars.ts'
import type { ScheduleRun, ShownSchedule } from '../../domain/instance/schedules.ts'
import { Button } from '../components/button.tsx'
import { Notice, Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { refresh } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { centMicros, showCount, showDayTime } from '../format.ts'
import { Link } from '../router.tsx'
import { instanceTexts } from '../texts/instance.ts'
import { ScheduleForm } from './schedule-form.tsx'
import { describeTimes } from './schedule-times.ts'

const words = instanceTexts.schedules

interface RowProps {
  schedule: ShownSchedule
  /** The cost of one hour awake within the plan, µUSD. */
  hourMicros: number
  onRemove: () => void
}

export function ScheduleRow({ schedule, hourMicros, onRemove }: RowProps) {
  const { id, text, cron, timeZone, at, by, nextRunAt, month, paused, runs } = schedule
  const [editing, setEditing] = useState(false)
  const [hasRun, setHasRun] = useState(false)
  const pause = useAction(async () => {
    await berth.updateSchedule({ id, paused: !paused })
    refresh('listSchedules')
  })
  const run = useAction(async () => {
    await berth.runSchedule({ id })
    setHasRun(true)
    refresh('listSchedules')
  })
  if (editing)
    return (
      <li className="row">
        <ScheduleForm schedule={schedule} onDone={() => setEditing(false)} />
      </li>
    )
  const when = describeTimes(schedule)
  return (
    <li className={paused ? 'row inactive' : 'row'}>
      <div className="row-text">
        <p className="row-name">
          {when ?? <code>{cron}</code>} {at === null && <span className="muted">{timeZone}</span>}{' '}
          {paused && <span className="pill rest">{words.paused}</span>}
        </p>
        <p className="clamped">{text}</p>
        <p className="muted">
          {[
            by === 'agent' && words.byAgent,
            !paused && (nextRunAt ? words.next(showDayTime(nextRunAt)) : words.never),
            at === null && showMonth(month, hourMicros),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        <History runs={runs} />
        {hasRun && (
          <Notice tone="good" onClose={() => setHasRun(false)}>
            {words.asked} <Link to="/">{words.reply}</Link>
          </Notice>
        )}
        <Problem text={pause.problem ?? run.problem} />
      </div>
      <div className="buttons">
        <Button of={text} busy={run.busy} onClick={() => run.run()}>
          {words.runNow}
        </Button>
        <Button of={text} busy={pause.busy} onClick={() => pause.run()}>
          {paused ? words.resume : words.pause}
        </Button>
        <Button of={text} onClick={() => setEditing(true)}>
          {words.edit}
        </Button>
        <Button of={text} onClick={onRemove}>
          {words.remove}
        </Button>
      </div>
    </li>
  )
}

/** Runs a month, and the machine's cost in whole cents, rounded up. */
function showMonth({ runs, awakeMinutes }: ShownSchedule['month'], hourMicros: number): string {
  const cents = Math.ceil((awakeMinutes * hourMicros) / 60 / centMicros)
  const hours = Math.max(awakeMinutes / 60, 0.1).toFixed(1)
  return words.month(showCount(runs), hours, formatMicros(cents * centMicros))
}

function History({ runs }: { runs: readonly ScheduleRun[] }) {
  if (runs.length === 0) return null
  return (
    <details className="history">
      <summary>{words.history(runs.length)}</summary>
      <ul>
        {runs.map((run) => (
          <Run key={run.at} run={run} />
        ))}
      </ul>
    </details>
  )
}

function Run({ run: { at, outcome, messageId } }: { run: ScheduleRun }) {
  const [cost, setCost] = useState<string | null>(null)
  const read = useAction(async (id: string) => {
    const { cost: spent } = await berth.getMessageCost({ id })
    setCost(words.costOf(formatMicros(spent.amountMicros), spent.calls))
  })
  return (
    <li>
      <time dateTime={at}>{showDayTime(at)}</time> {words.outcomes[outcome] ?? outcome}
      {messageId && (
        <>
          {' · '}
          <Link to={`/?message=${messageId}`}>{words.reply}</Link>
          {' · '}
          {cost ?? (
            <button type="button" className="link-button" data-reads onClick={() => read.run(messageId)}>
              {words.cost}
              <span className="visually-hidden"> {showDayTime(at)}</span>
            </button>
          )}
        </>
      )}
      {read.problem && <span className="field-problem"> {read.problem}</span>}
    </li>
  )
}
