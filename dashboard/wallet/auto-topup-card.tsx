import { useState } from 'react'
import type { AutoTopup, ShownAutoTopup } from '../../domain/wallet/auto-topup.ts'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { walletTexts } from '../texts/wallet.ts'
import { DollarField, problemOf, readCents, writeCents } from './dollar-field.tsx'

const fields = [
  { key: 'thresholdCents', words: 'threshold', least: 100, most: 50_000 },
  { key: 'amountCents', words: 'amount', least: 500, most: 50_000 },
  { key: 'monthlyCapCents', words: 'monthly', least: 500, most: 500_000 },
] as const
type Field = (typeof fields)[number]['key']

const beginning = { enabled: false, thresholdCents: 300, amountCents: 1_000, monthlyCapCents: 5_000 }

export function AutoTopupCard({ settings, onSaved }: { settings: ShownAutoTopup | undefined; onSaved: () => void }) {
  const words = walletTexts.auto
  const [input, setInput] = useState(() => inputOf(settings ?? beginning))
  const [wrong, setWrong] = useState<Partial<Record<Field, string>>>({})
  const [saved, setSaved] = useState(false)
  const { enabled, typed } = input
  const save = useAction(async (next: AutoTopup) => {
    await berth.setAutoTopup(next)
    setSaved(true)
    onSaved()
  })
  const submit = () => {
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
      <h2 id="auto-title">{words.title}</h2>
      {settings?.enabled && settings.declined && !saved && (
        <Notice tone="bad">{describeDecline(settings.declined)}</Notice>
      )}
      <Form onSubmit={submit}>
        <label className="switch">
          <input
            type="checkbox"
            checked={enabled}
            onChange={(event) => setInput({ ...input, enabled: event.target.checked })}
          />
          <span>{words.on}</span>
        </label>
        {fields.map(({ key, words: name }) => (
          <DollarField
            key={key}
            id={`auto-${key}`}
            label={words[name]}
            hint={words[`${name}Hint`]}
            value={typed[key]}
            onChange={(text) => setInput({ ...input, typed: { ...typed, [key]: text } })}
            problem={wrong[key] ?? save.details[key]?.[0]}
          />
        ))}
        {save.problem && <Notice tone="bad">{save.problem}</Notice>}
        {saved && <Notice tone="good">{enabled ? words.isOn : words.isOff}</Notice>}
        <Button variant="primary" submit busy={save.busy}>
          {words.save}
        </Button>
        <p className="hint">{words.hint}</p>
      </Form>
    </section>
  )
}

const inputOf = ({ enabled, ...from }: AutoTopup) => ({
  enabled,
  typed: {
    thresholdCents: writeCents(from.thresholdCents),
    amountCents: writeCents(from.amountCents),
    monthlyCapCents: writeCents(from.monthlyCapCents),
  },
})

function describeDecline({ times, nextTryAt }: NonNullable<ShownAutoTopup['declined']>): string {
  const { declined, triedAgain, triedNoMore } = walletTexts.auto
  return `${declined(times)} ${nextTryAt ? triedAgain(showDayTime(nextTryAt)) : triedNoMore}`
}

/** A month must have room for one charge. */
function problemsOf(typed: Record<Field, string>): Partial<Record<Field, string>> {
  const problems = fields.flatMap(({ key, least, most }) => {
    const smallest = key === 'monthlyCapCents' ? Math.max(least, readCents(typed.amountCents) ?? least) : least
    const problem = problemOf(typed[key], smallest, most)
    return problem ? [[key, problem]] : []
  })
  return Object.fromEntries(problems)
}
