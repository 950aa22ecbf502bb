import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { texts } from '../texts/index.ts'
import { operatorTexts as words } from '../texts/operator.ts'

interface ActProps {
  title: string
  hint?: string | undefined
  /** `user`: the account's owner reads the reason. */
  upon?: 'user' | 'service'
  danger?: boolean
  children?: ReactNode
  /** @param key identifies the act: the same for each try */
  act: (reason: string, key: string) => Promise<unknown>
  onClose: (done: boolean) => void
}

export function ActDialog({ title, hint, upon = 'user', danger = false, children, act, onClose }: ActProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const done = useRef(false)
  const [reason, setReason] = useState('')
  const [key] = useState(() => crypto.randomUUID())
  const acting = useAction(async () => {
    await act(reason.trim(), key)
    done.current = true
    dialog.current?.close()
  })
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="act-title" onClose={() => onClose(done.current)}>
      <form
        className="operator-form"
        onSubmit={(event) => {
          event.preventDefault()
          void acting.run()
        }}
      >
        <h2 id="act-title">{title}</h2>
        {hint && <p className="muted">{hint}</p>}
        {children}
        <div className="field">
          <label htmlFor="act-reason">{words.act.reason}</label>
          <input
            id="act-reason"
            required
            minLength={8}
            maxLength={300}
            aria-describedby="act-reason-hint act-problem"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <p id="act-reason-hint" className="muted">
            {upon === 'user' ? words.act.reasonHint : words.act.noticeHint}
          </p>
          <p id="act-problem" className="field-problem" role="alert">
            {acting.details.reason?.[0] ?? acting.problem}
          </p>
        </div>
        <div className="buttons end">
          <Button onClick={() => dialog.current?.close()}>{texts.common.cancel}</Button>
          <Button submit variant={danger ? 'danger' : 'primary'} busy={acting.busy}>
            {title}
          </Button>
        </div>
      </form>
    </dialog>
  )
}
