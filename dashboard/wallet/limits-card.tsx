import { useEffect, useRef, useState } from 'react'
import type { Trigger } from '../../domain/chat/message.ts'
import type { Limits } from '../../domain/wallet/limits.ts'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Money } from '../components/money.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { showCents } from '../format.ts'
import { useSearchParameter } from '../router.tsx'
import { walletTexts } from '../texts/wallet.ts'
import { DollarField, problemOf, readCents, writeCents } from './dollar-field.tsx'

const triggers = ['chat', 'schedule', 'heartbeat', 'tool', 'api'] as const satisfies readonly Trigger[]
const perTrigger = <T,>(read: (trigger: Trigger) => T) =>
  // safe because the list above names every trigger
  Object.fromEntries(triggers.map((trigger) => [trigger, read(trigger)])) as Record<Trigger, T>

export function LimitsCard({ limits, onSaved }: { limits: Limits; onSaved: () => void }) {
  const words = walletTexts.limits
  const [input, setInput] = useState(() => inputOf(limits))
  const [wrong, setWrong] = useState<string[]>([])
  const [saved, setSaved] = useState(false)
  const card = useScrolledTo()

  const save = useAction(async (dailyCapCents: number, triggerCapsCents: Record<Trigger, number | null>) => {
    await berth.setWalletLimits({ dailyCapCents, triggerCapsCents })
    setSaved(true)
    onSaved()
  })
  const submit = () => {
    setSaved(false)
    const bad = triggers.filter((key) => input.each[key].trim() !== '' && problem(input.each[key]))
    setWrong([...(problem(input.day) ? ['day'] : []), ...bad])
    const dailyCapCents = readCents(input.day)
    if (dailyCapCents === null || problem(input.day) || bad.length > 0) return
    save.run(
      dailyCapCents,
      perTrigger((key) => readCents(input.each[key])),
    )
  }
  return (
    <section ref={card} className="card" aria-labelledby="limits-title">
      <h2 id="limits-title">{words.title}</h2>
      <Used limits={limits} />
      <Form onSubmit={submit}>
        <DollarField
          id="cap-day"
          label={words.day}
          hint={words.dayHint}
          value={input.day}
          onChange={(day) => setInput({ ...input, day })}
          problem={wrong.includes('day') ? problem(input.day) : save.details.dailyCapCents?.[0]}
        />
        <fieldset className="trigger-limits">
          <legend>{words.byTrigger}</legend>
          {triggers.map((key) => (
            <DollarField
              key={key}
              id={`cap-${key}`}
              label={walletTexts.triggers[key]}
              value={input.each[key]}
              onChange={(text) => setInput({ ...input, each: { ...input.each, [key]: text } })}
              problem={wrong.includes(key) ? problem(input.each[key]) : undefined}
            />
          ))}
        </fieldset>
        {save.problem && <Notice tone="bad">{save.problem}</Notice>}
        {saved && <Notice tone="good">{words.saved}</Notice>}
        <Button variant="primary" submit busy={save.busy}>
          {words.save}
        </Button>
        <p className="hint">{words.recent}</p>
      </Form>
    </section>
  )
}

/** Scrolls to the card for a link of a refused reply: /wallet?show=limits */
function useScrolledTo() {
  const card = useRef<HTMLElement>(null)
  const isWanted = useSearchParameter('show') === 'limits'
  useEffect(() => {
    if (isWanted) card.current?.scrollIntoView({ block: 'center' })
  }, [isWanted])
  return card
}

function Used({ limits: { spentTodayMicros, dailyCapCents } }: { limits: Limits }) {
  const words = walletTexts.limits
  return (
    <div>
      <p className="muted">
        {words.today} <Money micros={spentTodayMicros} />. {words.newDay}
      </p>
      <meter
        className="meter"
        min={0}
        max={Math.max(1, dailyCapCents)}
        high={dailyCapCents * 0.8}
        value={spentTodayMicros / 10_000}
        aria-label={words.used(showCents(Math.floor(spentTodayMicros / 10_000)), showCents(dailyCapCents))}
      />
    </div>
  )
}

const mostCents = 100_000
const problem = (text: string) => problemOf(text, 0, mostCents)

const inputOf = ({ dailyCapCents, triggerCapsCents }: Limits) => ({
  day: writeCents(dailyCapCents),
  each: perTrigger((key) => {
    const cents = triggerCapsCents[key]
    return cents === null ? '' : writeCents(cents)
  }),
})
