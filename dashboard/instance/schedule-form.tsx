import { useId, useState } from 'react'
import type { ShownSchedule } from '../../domain/instance/schedules.ts'
import { canonicalTimeZone, timeZones } from '../../domain/instance/time-zones.ts'
import { Button } from '../components/button.tsx'
import { ChoiceField } from '../components/choice-field.tsx'
import { Form } from '../components/form.tsx'
import { Problem } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { refresh } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { texts } from '../texts/index.ts'
import { instanceTexts } from '../texts/instance.ts'
import { kinds, localMinute, noTimes, readTimes, type Times, timesInput, weekdayNames } from './schedule-times.ts'

const words = instanceTexts.schedules
const browserTimeZone = canonicalTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? 'UTC'

/** Null makes a new schedule. */
export function ScheduleForm({ schedule, onDone }: { schedule: ShownSchedule | null; onDone: () => void }) {
  const id = useId()
  const [text, setText] = useState(schedule?.text ?? '')
  const [times, setTimes] = useState<Times>(() => (schedule ? readTimes(schedule) : noTimes))
  const [timeZone, setTimeZone] = useState(schedule && schedule.at === null ? schedule.timeZone : browserTimeZone)
  const [exact, setExact] = useState(schedule?.exact ?? false)
  const save = useAction(async () => {
    const fields = { text, exact, ...timesInput(times), ...(times.kind !== 'once' && { timeZone }) }
    if (schedule) await berth.updateSchedule({ id: schedule.id, ...fields })
    else await berth.createSchedule(fields)
    refresh('listSchedules')
    onDone()
  })
  const set = (change: Partial<Times>) => setTimes((before) => ({ ...before, ...change }))
  return (
    <Form onSubmit={save.run} aria-label={schedule ? words.editOf(schedule.text) : words.add}>
      <div className="field">
        <label htmlFor={`${id}-text`}>{words.text}</label>
        <textarea
          id={`${id}-text`}
          rows={3}
          value={text}
          placeholder={words.textPlaceholder}
          maxLength={4_000}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <div className="fields">
        <ChoiceField
          label={words.when}
          value={times.kind}
          options={kinds.map((kind) => [kind, words.kinds[kind]])}
          onChoice={(kind) => set({ kind })}
        />
        <TimeFields times={times} set={set} />
        {times.kind !== 'once' && (
          <>
            <TextField
              label={words.timeZone}
              list={`${id}-zones`}
              value={timeZone}
              autoComplete="off"
              maxLength={64}
              onText={setTimeZone}
            />
            <datalist id={`${id}-zones`}>
              {timeZones.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
      </div>
      <label className="checkbox">
        <input type="checkbox" checked={exact} onChange={({ target }) => setExact(target.checked)} />
        <span>{words.exact}</span>
      </label>
      <Problem text={save.problem} />
      <div className="buttons">
        <Button variant="primary" submit busy={save.busy} disabled={text.trim() === ''}>
          {schedule ? words.save : words.create}
        </Button>
        <Button onClick={onDone}>{texts.common.cancel}</Button>
      </div>
    </Form>
  )
}

function TimeFields({ times, set }: { times: Times; set: (change: Partial<Times>) => void }) {
  const { kind } = times
  return (
    <>
      {kind === 'weekly' && (
        <ChoiceField
          label={words.weekday}
          value={times.weekday}
          options={weekdayNames().map((name, day) => [day, name])}
          onChoice={(weekday) => set({ weekday })}
        />
      )}
      {kind === 'monthly' && (
        <TextField
          label={words.day}
          type="number"
          min={1}
          max={31}
          value={times.day}
          onText={(text) => set({ day: Number(text) })}
        />
      )}
      {kind === 'hourly' && (
        <TextField
          label={words.minute}
          type="number"
          min={0}
          max={59}
          value={times.minute}
          onText={(text) => set({ minute: Number(text) })}
        />
      )}
      {(kind === 'daily' || kind === 'weekdays' || kind === 'weekly' || kind === 'monthly') && (
        <TextField label={words.time} type="time" value={times.time} onText={(text) => set({ time: text })} />
      )}
      {kind === 'once' && (
        <TextField
          label={words.at}
          type="datetime-local"
          min={localMinute(new Date())}
          value={times.at}
          onText={(text) => set({ at: text })}
        />
      )}
      {kind === 'custom' && (
        <TextField
          label={words.cron}
          value={times.cron}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          onText={(text) => set({ cron: text })}
        />
      )}
    </>
  )
}
