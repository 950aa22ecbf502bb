import { useEffect, useRef, useState } from 'react'
import type { Account } from '../../domain/account/user.ts'
import { passkeysWork } from '../account/passkeys.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { CodeForm, type Mailed, PasskeyButton } from '../pages/sign-in.tsx'
import { texts } from '../texts/index.ts'
import { stepUpTexts as words } from '../texts/step-up.ts'
import type { Asked } from './ask.ts'

interface DialogProps {
  asked: Asked
  account: Account
}

/** Signs in again on the same page: by passkey, or by a code e-mailed to the account's own address. */
export function StepUpDialog({ asked: { wanted, answer }, account }: DialogProps) {
  const { id, email } = account
  const dialog = useRef<HTMLDialogElement>(null)
  const done = useRef(false)
  const [mailed, setMailed] = useState<Mailed | null>(null)
  const earlier = useRef<Promise<string | undefined>>(undefined)
  useEffect(() => {
    dialog.current?.showModal()
    // The replaced session is ended after the new sign-in.
    earlier.current = berth.listSessions().then(
      ({ sessions }) => sessions.find(({ current }) => current)?.id,
      () => undefined,
    )
  }, [])
  const mail = useAction(async () => {
    setMailed(await berth.login({ email }))
  })
  const signedIn = async (now: Account) => {
    // Another account's passkey opened that account: this page must not show the old one.
    if (now.id !== id) return window.location.reload()
    const replaced = await earlier.current
    if (replaced) await berth.endSession({ id: replaced }).catch(() => {})
    done.current = true
    dialog.current?.close()
  }
  return (
    <dialog
      ref={dialog}
      className="dialog step-up"
      aria-labelledby={mailed ? undefined : 'step-up-title'}
      aria-label={mailed ? words.title : undefined}
      onClose={() => answer(done.current)}
    >
      {mailed ? (
        <CodeForm
          email={email}
          mailed={mailed}
          Heading="h2"
          onSignedIn={signedIn}
          onBack={() => dialog.current?.close()}
          back={texts.common.cancel}
        />
      ) : (
        <>
          <h2 id="step-up-title">{words.title}</h2>
          <p className="muted">{wanted === 'passkey' ? words.byPasskey : words.lead}</p>
          {wanted === 'passkey' && !passkeysWork() && <p>{words.noPasskeys}</p>}
          <PasskeyButton onSignedIn={signedIn} />
          {wanted === 'recent' && (
            <Button variant="primary" busy={mail.busy} onClick={() => mail.run()}>
              {words.mail(email)}
            </Button>
          )}
          <p className="field-problem" role="alert">
            {mail.problem}
          </p>
          <div className="buttons end">
            <Button onClick={() => dialog.current?.close()}>{texts.common.cancel}</Button>
          </div>
        </>
      )}
    </dialog>
  )
}
