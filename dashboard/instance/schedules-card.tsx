import { type FormEvent, useCallback, useEffect, useState } from 'react'
import type { RunOutcome, schedule } from '../../domain/instance/schedules.ts'
import { api } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { useAction } from '../parts/use-action.ts'
import { showDayTime } from '../words.ts'

type Schedule = (typeof schedule)['_output']

const outcomes: Record<RunOutcome, string> = {
  sent: 'asked',
  paused: 'skipped, the machine was paused',
  'no-instance': 'skipped, there was no machine',
  'wallet-empty': 'skipped, the wallet was empty',
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** When the agent is woken and what it is asked then. */
export function SchedulesCard() {
  const [schedules, setSchedules] = useState<Schedule[]>([])
  const [cron, setCron] = useState('0 8 * * 1-5')
  const [text, setText] = useState('')
  const load = useCallback(
    () =>
      void api.schedules().then(
        (found) => setSchedules(found.schedules),
        () => {},
      ),
    [],
  )
  useEffect(load, [load])
  const add = useAction(async () => {
    await api.addSchedule({ cron, timeZone: zone, text })
    setText('')
    load()
  })
  const remove = useAction(async (id: string) => {
    await api.removeSchedule(id)
    load()
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
          {schedules.map((one) => (
            <li key={one.id} className="row">
              <span className="row-name">
                {one.text}
                <br />
                <span className="muted">
                  <code>{one.cron}</code> {one.timeZone}
                  {one.nextRunAt && ` · next ${showDayTime(one.nextRunAt)}`}
                  {one.lastRun && ` · ${showDayTime(one.lastRun.at)} ${outcomes[one.lastRun.outcome]}`}
                </span>
              </span>
              <Button busy={remove.busy} onPress={() => remove.run(one.id)}>
                Delete<span className="unseen"> {one.text}</span>
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
          <label htmlFor="schedule-cron">When (minute hour day month weekday, {zone})</label>
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
        <Button look="primary" submit busy={add.busy} disabled={text.trim() === ''}>
          Add schedule
        </Button>
      </form>
    </section>
  )
}
