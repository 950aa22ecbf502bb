import { type ReactNode, useState } from 'react'
import { Button, type ButtonProps } from '../components/button.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { TextField } from '../components/text-field.tsx'
import { refresh } from '../data/cache.ts'
import { operatorTexts as words } from '../texts/operator.ts'

/** The props of a dialog for an act upon one user. */
export interface UserActProps {
  user: string
  person: string
  onClose: (done: boolean) => void
}

interface ActProps {
  title: string
  hint?: string
  /** `user`: the account's owner reads the reason. */
  upon?: 'user' | 'service'
  danger?: boolean
  children?: ReactNode
  /** @param key identifies the act: the same for each try */
  act: (reason: string, key: string) => Promise<unknown>
  onClose: (done: boolean) => void
}

/** The reads of the operators' pages that an act may change. */
const changed = [
  ...['getUser', 'getFleet', 'listDeadLetters', 'getOperator', 'getRollout', 'getTrials'],
  ...['listOperatorNotices', 'listNotices', 'listOperatorsTrail', 'listUsers', 'getTotals'],
] as const

interface DialogButtonProps extends Omit<ButtonProps, 'onClick'> {
  dialog: (onClose: ActProps['onClose']) => ReactNode
}

export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const [open, setOpen] = useState(false)
  const close = (done: boolean) => {
    setOpen(false)
    if (done) refresh(...changed)
  }
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {open && dialog(close)}
    </>
  )
}

interface ActButtonProps extends Omit<ActProps, 'onClose'>, Pick<ButtonProps, 'of' | 'disabled' | 'variant'> {
  label: string
}

export const ActButton = ({ label, of, disabled, variant, ...act }: ActButtonProps) => (
  <DialogButton
    of={of}
    disabled={disabled}
    variant={variant ?? (act.danger ? 'danger' : 'plain')}
    dialog={(close) => <ActDialog {...act} onClose={close} />}
  >
    {label}
  </DialogButton>
)

export function ActDialog({ title, hint, upon = 'user', danger = false, children, act, onClose }: ActProps) {
  const [reason, setReason] = useState('')
  const [key] = useState(() => crypto.randomUUID())
  return (
    <ConfirmDialog
      title={title}
      hint={hint}
      confirm={title}
      variant={danger ? 'danger' : 'primary'}
      act={() => act(reason.trim(), key)}
      onClose={onClose}
    >
      {children}
      <TextField
        label={words.act.reason}
        hint={upon === 'user' ? words.act.reasonHint : words.act.noticeHint}
        required
        minLength={8}
        maxLength={300}
        value={reason}
        onText={setReason}
      />
    </ConfirmDialog>
  )
}
