import { useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Problem } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { showCents } from '../format.ts'
import { useSearchParameter } from '../router.tsx'
import { walletTexts } from '../texts/wallet.ts'
import { readCents } from './dollar-field.tsx'

const presets = [500, 1_000, 2_500, 5_000]
const smallestCents = 500
const largestCents = 50_000

export function TopUp() {
  const words = walletTexts.topUp
  // A link may bring the amount, in dollars: /wallet?amount=20
  const amount = readCents(useSearchParameter('amount') ?? '')
  const [preset, setPreset] = useState<number | null>(
    amount === null || presets.includes(amount) ? (amount ?? 1_000) : null,
  )
  const [typed, setTyped] = useState(amount === null ? '' : String(amount / 100))
  const [missing, setMissing] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const cents = preset ?? readCents(typed)

  const open = useAction(async (amountCents: number) => {
    const { url } = await berth.createWalletTopup({ amountCents })
    window.location.assign(url)
  })
  const submit = () => {
    const fits = cents !== null && cents >= smallestCents && cents <= largestCents
    setMissing(fits ? null : words.range(showCents(smallestCents), showCents(largestCents)))
    if (fits) open.run(cents)
    else field.current?.focus()
  }
  const problem = missing ?? open.details.amountCents?.[0] ?? open.problem
  return (
    <section className="card" aria-labelledby="topup-title">
      <h2 id="topup-title">{words.title}</h2>
      <Form onSubmit={submit}>
        <fieldset className="choices">
          <legend className="visually-hidden">{words.amount}</legend>
          {presets.map((amount) => (
            <label key={amount} className="choice">
              <input
                type="radio"
                name="amount"
                checked={preset === amount}
                onChange={() => {
                  setPreset(amount)
                  setMissing(null)
                }}
              />
              <span>{showCents(amount)}</span>
            </label>
          ))}
          <label className="choice">
            <input type="radio" name="amount" checked={preset === null} onChange={() => setPreset(null)} />
            <span>{words.other}</span>
          </label>
        </fieldset>
        {preset === null ? (
          <TextField
            ref={field}
            label={words.inDollars}
            inputMode="decimal"
            placeholder="20.00"
            value={typed}
            onText={setTyped}
            problem={problem}
          />
        ) : (
          <Problem text={problem} />
        )}
        <Button variant="primary" submit busy={open.busy}>
          {preset === null ? words.goToCheckout : words.topUp(showCents(preset))}
        </Button>
        <p className="hint">{words.hint}</p>
      </Form>
    </section>
  )
}
