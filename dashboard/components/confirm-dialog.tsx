import { type ReactNode, useId } from 'react'
import { texts } from '../texts/index.ts'
import { Button } from './button.tsx'
import { type CloseDialog, Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
import { Problem } from './notice.tsx'
import { useAction } from './use-action.ts'

interface ConfirmProps {
  title: string
  /** The effect of the action. */
  hint?: string
  keep?: string
  confirm: string
  variant?: 'danger' | 'primary'
  disabled?: boolean
  /** The fields of the action. */
  children?: ReactNode
  act: () => Promise<unknown>
  onClose: (done: boolean) => void
}

/** Asks before an action and runs it. If the action fails, the dialog stays open and shows the reason. */
export function ConfirmDialog({
  title,
  hint,
  keep = texts.common.cancel,
  confirm,
  variant = 'danger',
  disabled,
  children,
  act,
  onClose,
}: ConfirmProps) {
  const hintId = useId()
  const action = useAction(async (close: CloseDialog) => {
    await act()
    close(true)
  })
  return (
    <Dialog aria-label={title} aria-describedby={hint && hintId} onClose={onClose}>
      {(close) => (
        <Form noValidate={false} onSubmit={() => action.run(close)}>
          <h2>{title}</h2>
          {hint && <p id={hintId}>{hint}</p>}
          {children}
          <Problem text={action.problem} />
          <div className="buttons end">
            <Button onClick={() => close(false)}>{keep}</Button>
            <Button submit variant={variant} busy={action.busy} disabled={disabled}>
              {confirm}
            </Button>
          </div>
        </Form>
      )}
    </Dialog>
  )
}
