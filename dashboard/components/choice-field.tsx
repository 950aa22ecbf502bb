import { type ComponentProps, type ReactNode, useId } from 'react'

export interface ChoiceFieldProps<T> extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  label: ReactNode
  value: T
  options: readonly (readonly [value: T, label: ReactNode])[]
  onChoice: (value: T) => void
}

export function ChoiceField<T extends string | number>(props: ChoiceFieldProps<T>) {
  const { label, value, options, onChoice, className = 'field', ...select } = props
  const id = useId()
  return (
    <div className={className}>
      <label htmlFor={id}>{label}</label>
      <select
        {...select}
        id={id}
        value={value}
        onChange={({ target }) => {
          const chosen = options[target.selectedIndex]
          if (chosen) onChoice(chosen[0])
        }}
      >
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
