import { formatMicros } from '../../domain/dollars.ts'
import { centMicros } from '../format.ts'

/** An exact amount; digits below a cent are dimmed unless there are no others. */
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
