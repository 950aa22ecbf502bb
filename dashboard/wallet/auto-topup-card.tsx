import { type FormEvent, useState } from 'react'
import type { AutoTopup, ShownAutoTopup } from '../../domain/wallet/auto-topup.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { showDayTime } from '../format.ts'
import { DollarField, problemOf, readCents, writeCents } from './dollar-field.tsx'

const fields = [
  {
    key: 'thresholdCents',
    label: 'When the balance falls to',
    hint: 'Dollars; money held for calls counts as there.',
    least: 100,
    most: 50_000,
  },
  {
    key: 'amountCents',
    label: 'Charge my saved card',
    hint: 'Dollars, 5 to 500 each time.',
    least: 500,
    most: 50_000,
  },
  {
    key: 'monthlyCapCents',
    label: 'But in a month at most',
    hint: 'Dollars in a calendar month (UTC).',
    least: 500,
    most: 500_000,
  },
] as const
type Field = (typeof fields)[number]['key']

const beginning = { thresholdCents: 300, amountCents: 1_000, monthlyCapCents: 5_000 }

export function AutoTopupCard({ settings, onSaved }: { settings: ShownAutoTopup | undefined; onSaved: () => void }) {
  const [enabled, setEnabled] = useState(settings?.enabled ?? false)
  const [typed, setTyped] = useState<Record<Field, string>>(() => {
    const from = settings ?? beginning
    return {
      thresholdCents: writeCents(from.thresholdCents),
      amountCents: writeCents(from.amountCents),
      monthlyCapCents: writeCents(from.monthlyCapCents),
    }
  })
  const [wrong, setWrong] = useState<Partial<Record<Field, string>>>({})
  const [saved, setSaved] = useState(false)
  const save = useAction(async (next: AutoTopup) => {
    await berth.setAutoTopup(next)
    setSaved(true)
    onSaved()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSaved(false)
    const [thresholdCents, amountCents, monthlyCapCents] = fields.map(({ key }) => readCents(typed[key]))
    const found = problemsOf(typed)
    setWrong(found)
    if (thresholdCents == null || amountCents == null || monthlyCapCents == null || Object.keys(found).length > 0)
      return
    save.run({ enabled, thresholdCents, amountCents, monthlyCapCents })
  }
  return (
    <section className="card" aria-labelledby="auto-title">
      <h2 id="auto-title">Automatic top-up</h2>
      {settings?.enabled && settings.declined && !saved && (
        <Notice tone="bad">{describeDecline(settings.declined)}</Notice>
      )}
      <form onSubmit={submit} noValidate>
        <label className="switch">
          <input type="checkbox" checked={enabled} onChange={(event) => setEnabled(event.target.checked)} />
          <span>Top up by itself</span>
        </label>
        {fields.map(({ key, label, hint }) => (
          <DollarField
            key={key}
            id={`auto-${key}`}
            label={label}
            hint={hint}
            value={typed[key]}
            onChange={(text) => setTyped({ ...typed, [key]: text })}
            problem={wrong[key] ?? save.details[key]?.[0]}
          />
        ))}
        {save.problem && <Notice tone="bad">{save.problem}</Notice>}
        {saved && (
          <Notice tone="good">{enabled ? 'Automatic top-up is on.' : 'Saved. Automatic top-up is off.'}</Notice>
        )}
        <Button variant="primary" submit busy={save.busy}>
          Save
        </Button>
        <p className="hint">
          Your card is saved when you top up. After a decline we tell you and try again later, five times in all; saving
          here begins anew.
        </p>
      </form>
    </section>
  )
}

function describeDecline({ times, nextTryAt }: NonNullable<ShownAutoTopup['declined']>): string {
  const what = times === 1 ? 'Your card was declined.' : `Your card was declined ${times} times.`
  if (nextTryAt)
    return `${what} It is tried again after ${showDayTime(nextTryAt)}. A top-up with another card replaces it.`
  return `${what} It is not tried again: top up once with another card, then save here.`
}

/** What is wrong with each field; a month must have room for one charge. */
function problemsOf(typed: Record<Field, string>): Partial<Record<Field, string>> {
  const found = fields.flatMap(({ key, least, most }) => {
    const smallest = key === 'monthlyCapCents' ? Math.max(least, readCents(typed.amountCents) ?? least) : least
    const problem = problemOf(typed[key], smallest, most)
    return problem ? [[key, problem]] : []
  })
  return Object.fromEntries(found)
}
