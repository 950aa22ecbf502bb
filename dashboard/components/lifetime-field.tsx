import { dayMs } from '../../domain/time.ts'
import { showDay } from '../format.ts'
import { texts } from '../texts/index.ts'

const lifetimes = [7, 30, 90, 180, 365]

interface LifetimeFieldProps {
  id: string
  label: string
  days: number
  onChange: (days: number) => void
}

export function LifetimeField({ id, label, days, onChange }: LifetimeFieldProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={days} onChange={(event) => onChange(Number(event.target.value))}>
        {lifetimes.map((lifetime) => (
          <option key={lifetime} value={lifetime}>
            {texts.common.inDays(lifetime, showDay(new Date(Date.now() + lifetime * dayMs).toISOString()))}
          </option>
        ))}
      </select>
    </div>
  )
}
