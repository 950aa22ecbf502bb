interface DollarFieldProps {
  id: string
  label: string
  hint?: string
  value: string
  onChange: (value: string) => void
  problem?: string | undefined
}

/** An amount in dollars with its own words of what is wrong with it. */
export function DollarField({ id, label, hint, value, onChange, problem }: DollarFieldProps) {
  return (
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
}
