import type { ReactNode } from 'react'

export interface CheckListProps<T> {
  legend: ReactNode
  options: readonly T[]
  labelOf: (option: T) => ReactNode
  chosen: readonly T[]
  onChange: (chosen: T[]) => void
}

export function CheckList<T extends string>(props: CheckListProps<T>) {
  const { legend, options, labelOf, chosen, onChange } = props
  return (
    <fieldset className="check-list">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option}>
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, option] : chosen.filter((other) => other !== option))
            }
          />
          <span>{labelOf(option)}</span>
        </label>
      ))}
    </fieldset>
  )
}
