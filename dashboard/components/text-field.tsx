import type { ComponentProps, ReactNode } from 'react'

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  id: string
  label: ReactNode
  onText: (text: string) => void
  /** Null if the text is valid; omitted by a field that is never invalid. */
  problem?: string | null
}

export function TextField({ id, label, onText, problem, ...input }: TextFieldProps) {
  const judged = problem !== undefined && { 'aria-invalid': problem !== null, 'aria-describedby': `${id}-problem` }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input {...judged} {...input} id={id} onChange={(event) => onText(event.target.value)} />
      {judged && (
        <p id={`${id}-problem`} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
