import { dayMs } from '../../domain/time.ts'
import { showDay } from '../format.ts'
import { texts } from '../texts/index.ts'
import { ChoiceField } from './choice-field.tsx'

const lifetimes = [7, 30, 90, 180, 365]

interface LifetimeFieldProps {
  label: string
  days: number
  onChange: (days: number) => void
}

export const LifetimeField = ({ label, days, onChange }: LifetimeFieldProps) => (
  <ChoiceField
    label={label}
    value={days}
    options={lifetimes.map((lifetime) => [
      lifetime,
      texts.common.inDays(lifetime, showDay(new Date(Date.now() + lifetime * dayMs).toISOString())),
    ])}
    onChoice={onChange}
  />
)
