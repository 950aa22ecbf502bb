import { walletTexts } from '../texts/wallet.ts'

interface DollarFieldProps {
  id: string
  label: string
  hint?: string
  value: string
  onChange: (value: string) => void
  problem?: string | undefined
}

export const DollarField = ({ id, label, hint, value, onChange, problem }: DollarFieldProps) => (
  <div className="field">
    <label htmlFor={id}>{label}</label>
    <input
      id={id}
      inputMode="decimal"
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      aria-invalid={problem !== undefined}
      aria-describedby={`${id}-about`}
    />
    <p id={`${id}-about`} className={problem ? 'field-problem' : 'hint'} role={problem ? 'alert' : undefined}>
      {problem ?? hint}
    </p>
  </div>
)

export const mostCapCents = 100_000

/** Cents of `20`, `20.5`, `$20.50` or `20,50`; null for anything else. */
export function readCents(text: string): number | null {
  const found = /^\$?(\d{1,5})(?:[.,](\d{1,2}))?$/.exec(text.trim())
  return found ? Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0')) : null
}

/** The error of an amount outside of two limits, in cents; undefined for none. */
export function problemOf(text: string, least: number, most: number): string | undefined {
  const cents = readCents(text)
  if (cents !== null && cents >= least && cents <= most) return undefined
  return walletTexts.dollars(writeCents(least), writeCents(most))
}

/** The form that a field accepts: `20` or `20.50`. */
export const writeCents = (cents: number): string =>
  cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2)
