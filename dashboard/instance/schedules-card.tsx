import { useState } from 'react'
import type { ShownSchedule } from '../../domain/instance/schedules.ts'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useUndoable } from '../components/use-undoable.ts'
import { refresh, useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { instanceTexts } from '../texts/instance.ts'
import { ScheduleForm } from './schedule-form.tsx'
import { ScheduleRow } from './schedule-row.tsx'

const words = instanceTexts.schedules

export function SchedulesCard() {
  const { data, problem, reload } = useRead('listSchedules')
  const [adding, setAdding] = useState(false)
  const remove = useAction(async ({ id }: ShownSchedule) => {
    await berth.deleteSchedule({ id })
    refresh('listSchedules')
  })
  const removal = useUndoable<ShownSchedule>(remove.run)
  const schedules = data?.schedules.filter(({ id }) => id !== removal.waiting?.id)
  return (
    <section className="card" aria-labelledby="schedules-title">
      <div className="card-head">
        <h2 id="schedules-title">{words.title}</h2>
        {!adding && (
          <Button variant="primary" onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        )}
      </div>
      {data && <p className="hint">{words.hint(data.leastMinutes)}</p>}
      {adding && <ScheduleForm schedule={null} onDone={() => setAdding(false)} />}
      {removal.waiting && (
        <Notice tone="info" action={{ label: words.undo, run: removal.undo }}>
          {words.removed(removal.waiting.text)}
        </Notice>
      )}
      {remove.problem && <Notice tone="bad">{remove.problem}</Notice>}
      {!schedules && <Loading problem={problem} retry={reload} />}
      {schedules?.length === 0 && !adding && <p className="muted">{words.empty}</p>}
      {schedules && schedules.length > 0 && (
        <ul className="rows">
          {schedules.map((schedule) => (
            <ScheduleRow
              key={schedule.id}
              schedule={schedule}
              hourMicros={data?.awakeHourMicros ?? 0}
              onRemove={() => removal.ask(schedule)}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
