import { type ComponentProps, type ReactNode, useId } from 'react'
import { Problem } from './notice.tsx'

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  label: ReactNode
  hint?: string
  onText: (text: string) => void
  /** Null if the text is valid; omitted by a field that is never invalid. */
  problem?: string | null
}

export function TextField({ label, hint, onText, problem, ...input }: TextFieldProps) {
  const id = useId()
  const isJudged = problem !== undefined
  const described = [hint && `${id}-hint`, isJudged && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...(isJudged && { 'aria-invalid': problem !== null })}
        aria-describedby={described || undefined}
        {...input}
        id={id}
        onChange={(event) => onText(event.target.value)}
      />
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {isJudged && <Problem id={`${id}-problem`} text={problem} />}
    </div>
  )
}
