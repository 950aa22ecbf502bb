import type { ReactNode } from 'react'

export interface ButtonProps {
  children: ReactNode
  /** Names the button's object for screen readers. */
  of?: string
  busy?: boolean
  disabled?: boolean
  variant?: 'primary' | 'plain' | 'danger'
  submit?: boolean
  /** Changes nothing, so operators may use it in a view. */
  reads?: boolean
  onClick?: () => void
}

/** Keeps its place and its focus while its work is under way. */
export const Button = ({
  children,
  of,
  busy = false,
  disabled = false,
  variant = 'plain',
  submit,
  reads,
  onClick,
}: ButtonProps) => (
  <button
    type={submit ? 'submit' : 'button'}
    className={`button ${variant}`}
    disabled={disabled}
    data-reads={reads}
    aria-disabled={busy || undefined}
    onClick={(event) => {
      if (busy) event.preventDefault()
      else onClick?.()
    }}
  >
    {busy && <span className="spinner" aria-hidden="true" />}
    {children}
    {of && <span className="visually-hidden"> {of}</span>}
  </button>
)
