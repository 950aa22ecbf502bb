import { formatMicros } from '../../domain/dollars.ts'

const centMicros = 10_000

/** A balance in whole cents, rounded down: it never shows more than there is. */
export const showBalance = (amountMicros: number): string =>
  formatMicros(amountMicros - (((amountMicros % centMicros) + centMicros) % centMicros))

/** An exact amount; what lies below a cent is set back, unless there is nothing more. */
export function Money({ micros, signed = false }: { micros: number; signed?: boolean }) {
  const text = formatMicros(Math.abs(micros))
  const cents = Math.abs(micros) < centMicros ? text.length : text.indexOf('.') + 3
  const sign = micros < 0 ? '−' : signed && micros > 0 ? '+' : ''
  return (
    <span className="money">
      {sign}
      {text.slice(0, cents)}
      {text.length > cents && <span className="below-cent">{text.slice(cents)}</span>}
    </span>
  )
}

/** A part of a price that may lie below a micro-dollar: tokens × µUSD per million tokens, in dollars. */
export const showPart = (tokens: number, microsPerMillion: number): string =>
  `$${((tokens * microsPerMillion) / 1e12).toFixed(9).replace(/0{1,7}$/, '')}`
