import { type FormEvent, useState } from 'react'
import { formatMicros } from '../../domain/dollars.ts'
import type { RunOutcome, ShownSchedule } from '../../domain/instance/schedules.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { centMicros, showCount, showDayTime } from '../format.ts'

const outcomeLabels: Record<RunOutcome, string> = {
  sent: 'asked',
  paused: 'skipped, the machine was paused',
  'no-instance': 'skipped, there was no machine',
  'wallet-empty': 'skipped, the wallet could not pay',
}

const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** How often it comes and what the machine costs meanwhile, in whole cents rounded up. */
function showMonth({ runs, awakeMinutes }: ShownSchedule['month'], hourMicros: number): string {
  const cents = Math.ceil((awakeMinutes * hourMicros) / 60 / centMicros)
  const hours = Math.max(awakeMinutes / 60, 0.1).toFixed(1)
  return `${showCount(runs)} times a month, ${hours} hours awake: ${formatMicros(cents * centMicros)} of your plan`
}

/** When the agent is woken and what it is asked then. */
export function SchedulesCard() {
  const { data, reload } = useData(berth.listSchedules)
  const schedules = data?.schedules ?? []
  const [cron, setCron] = useState('0 8 * * 1-5')
  const [text, setText] = useState('')
  const add = useAction(async () => {
    await berth.createSchedule({ cron, timeZone: browserTimeZone, text })
    setText('')
    reload()
  })
  const remove = useAction(async (id: string) => {
    await berth.deleteSchedule({ id })
    reload()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.run()
  }
  return (
    <section className="card" aria-labelledby="schedules-title">
      <h2 id="schedules-title">Schedules</h2>
      <p className="hint">
        A schedule wakes a machine that sleeps, and leaves alone one that you paused. Two minutes after its turn the
        machine may sleep again.{data && ` On your plan its times lie ${data.leastMinutes} minutes apart or more.`} Your
        agent may make some of its own.
      </p>
      {schedules.length > 0 && (
        <ul className="rows">
          {schedules.map(({ id, text: prompt, cron: expression, timeZone, at, by, nextRunAt, lastRun, month }) => (
            <li key={id} className="row">
              <span className="row-name">
                {prompt}
                <br />
                <span className="muted">
                  {by === 'agent' && 'your agent’s own · '}
                  {at === null ? <code>{expression}</code> : 'once'} {at === null && timeZone}
                  {nextRunAt && ` · next ${showDayTime(nextRunAt)}`}
                  {lastRun && ` · ${showDayTime(lastRun.at)} ${outcomeLabels[lastRun.outcome]}`}
                  <br />
                  {at === null && showMonth(month, data?.awakeHourMicros ?? 0)}
                </span>
              </span>
              <Button busy={remove.busy} onClick={() => remove.run(id)}>
                Delete<span className="visually-hidden"> {prompt}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={submit} noValidate>
        <div className="field">
          <label htmlFor="schedule-text">What to ask</label>
          <input
            id="schedule-text"
            value={text}
            placeholder="Write my morning brief."
            maxLength={4000}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="schedule-cron">When (minute hour day month weekday, {browserTimeZone})</label>
          <input
            id="schedule-cron"
            value={cron}
            autoComplete="off"
            maxLength={100}
            onChange={(event) => setCron(event.target.value)}
          />
        </div>
        <p className="field-problem" role="alert">
          {add.problem ?? remove.problem}
        </p>
        <Button variant="primary" submit busy={add.busy} disabled={text.trim() === ''}>
          Add schedule
        </Button>
      </form>
    </section>
  )
}
