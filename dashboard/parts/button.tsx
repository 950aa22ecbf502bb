import type { ReactNode } from 'react'

interface ButtonProps {
  children: ReactNode
  busy?: boolean
  disabled?: boolean
  look?: 'primary' | 'plain' | 'danger'
  submit?: boolean
  onPress?: () => void
}

/** A button that keeps its place and its focus while the work it started is under way. */
export function Button({ children, busy = false, disabled = false, look = 'plain', submit, onPress }: ButtonProps) {
  return (
    <button
      type={submit ? 'submit' : 'button'}
      className={`button ${look}`}
      disabled={disabled}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onPress?.()
      }}
    >
      {busy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}
