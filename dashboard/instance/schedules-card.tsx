import { type FormEvent, useState } from 'react'
import type { RunOutcome } from '../../domain/instance/schedules.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showDayTime } from '../format.ts'

const outcomeLabels: Record<RunOutcome, string> = {
  sent: 'asked',
  paused: 'skipped, the machine was paused',
  'no-instance': 'skipped, there was no machine',
  'wallet-empty': 'skipped, the wallet was empty',
}

const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

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
      <p className="hint">A schedule wakes a machine that sleeps, and leaves alone one that you paused.</p>
      {schedules.length > 0 && (
        <ul className="rows">
          {schedules.map(({ id, text: prompt, cron: expression, timeZone, nextRunAt, lastRun }) => (
            <li key={id} className="row">
              <span className="row-name">
                {prompt}
                <br />
                <span className="muted">
                  <code>{expression}</code> {timeZone}
                  {nextRunAt && ` · next ${showDayTime(nextRunAt)}`}
                  {lastRun && ` · ${showDayTime(lastRun.at)} ${outcomeLabels[lastRun.outcome]}`}
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
