import { type FormEvent, useState } from 'react'
import type { Trigger } from '../../domain/chat/message.ts'
import type { Limits } from '../../domain/wallet/limits.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Money } from '../components/money.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { triggerLabels } from '../labels.ts'
import { DollarField, problemOf, readCents, writeCents } from './dollar-field.tsx'

// safe because these are the record's own keys
const triggers = (Object.keys(triggerLabels) as Trigger[]).map((key) => ({ key, label: triggerLabels[key] }))

/** The day's limit, and limits by what starts a turn. */
export function LimitsCard({ limits, onSaved }: { limits: Limits; onSaved: () => void }) {
  const [day, setDay] = useState(writeCents(limits.dailyCapCents))
  const [each, setEach] = useState<Record<Trigger, string>>(() => texts(limits))
  const [wrong, setWrong] = useState<string[]>([])
  const [saved, setSaved] = useState(false)

  const save = useAction(async (dailyCapCents: number, triggerCapsCents: Record<Trigger, number | null>) => {
    await berth.setWalletLimits({ dailyCapCents, triggerCapsCents })
    setSaved(true)
    onSaved()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSaved(false)
    const dailyCapCents = readCents(day)
    const bad = triggers.filter(({ key }) => each[key].trim() !== '' && problem(each[key]))
    setWrong([...(problem(day) ? ['day'] : []), ...bad.map(({ key }) => key)])
    if (dailyCapCents === null || problem(day) || bad.length > 0) return
    const cap = (key: Trigger) => readCents(each[key])
    save.run(dailyCapCents, {
      chat: cap('chat'),
      schedule: cap('schedule'),
      heartbeat: cap('heartbeat'),
      tool: cap('tool'),
      api: cap('api'),
    })
  }
  return (
    <section className="card" aria-labelledby="limits-title">
      <h2 id="limits-title">Spending limits</h2>
      <p className="muted">
        Spent or held today: <Money micros={limits.spentTodayMicros} />. A new day begins at 00:00 UTC.
      </p>
      <form onSubmit={submit} noValidate>
        <DollarField
          id="cap-day"
          label="Dollars a day, in all"
          hint="Calls beyond it are refused until the next day."
          value={day}
          onChange={setDay}
          problem={wrong.includes('day') ? problem(day) : save.details.dailyCapCents?.[0]}
        />
        <fieldset className="trigger-limits">
          <legend>Dollars a day, by what starts the work (empty: no limit of its own)</legend>
          {triggers.map(({ key, label }) => (
            <DollarField
              key={key}
              id={`cap-${key}`}
              label={label}
              value={each[key]}
              onChange={(text) => setEach({ ...each, [key]: text })}
              problem={wrong.includes(key) ? problem(each[key]) : undefined}
            />
          ))}
        </fieldset>
        {save.problem && <Notice tone="bad">{save.problem}</Notice>}
        {saved && <Notice tone="good">The limits are saved and hold at once.</Notice>}
        <Button variant="primary" submit busy={save.busy}>
          Save limits
        </Button>
        <p className="hint">Raising a limit needs a sign-in of the last ten minutes.</p>
      </form>
    </section>
  )
}

const mostCents = 100_000
const problem = (text: string) => problemOf(text, 0, mostCents)

const texts = ({ triggerCapsCents }: Limits): Record<Trigger, string> => {
  const text = (cents: number | null) => (cents === null ? '' : writeCents(cents))
  return {
    chat: text(triggerCapsCents.chat),
    schedule: text(triggerCapsCents.schedule),
    heartbeat: text(triggerCapsCents.heartbeat),
    tool: text(triggerCapsCents.tool),
    api: text(triggerCapsCents.api),
  }
}
