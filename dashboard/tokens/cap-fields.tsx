import { capPeriods } from '../../domain/tokens/caps.ts'
import { tokenTexts } from '../texts/tokens.ts'
import { DollarField } from '../wallet/dollar-field.tsx'
import type { TypedCaps } from './cap.ts'

interface CapFieldsProps {
  /** Prefix of the fields' ids. */
  id: string
  caps: TypedCaps
  onChange: (caps: TypedCaps) => void
  problems: Partial<TypedCaps>
}

export function CapFields({ id, caps, onChange, problems }: CapFieldsProps) {
  const words = tokenTexts.caps
  return (
    <fieldset className="trigger-limits" aria-describedby={`${id}-hint`}>
      <legend>{words.legend}</legend>
      {capPeriods.map((period) => (
        <DollarField
          key={period}
          id={`${id}-${period}`}
          label={words[period]}
          value={caps[period]}
          onChange={(text) => onChange({ ...caps, [period]: text })}
          problem={problems[period]}
        />
      ))}
      <p id={`${id}-hint`} className="hint trigger-limits-hint">
        {words.hint}
      </p>
    </fieldset>
  )
}
