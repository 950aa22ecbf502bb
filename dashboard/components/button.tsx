import type { ReactNode } from 'react'

interface ButtonProps {
  children: ReactNode
  busy?: boolean
  disabled?: boolean
  variant?: 'primary' | 'plain' | 'danger'
  submit?: boolean
  onClick?: () => void
}

/** A button that keeps its place and its focus while the work it started is under way. */
export function Button({ children, busy = false, disabled = false, variant = 'plain', submit, onClick }: ButtonProps) {
  return (
    <button
      type={submit ? 'submit' : 'button'}
      className={`button ${variant}`}
      disabled={disabled}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.()
      }}
    >
      {busy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}
