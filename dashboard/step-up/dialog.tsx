import { useEffect, useRef, useState } from 'react'
import type { Account } from '../../domain/account/user.ts'
import { passkeysWork } from '../account/passkeys.ts'
import { Button } from '../components/button.tsx'
import { type CloseDialog, Dialog } from '../components/dialog.tsx'
import { Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { CodeForm, type Mailed, PasskeyButton } from '../pages/sign-in.tsx'
import { texts } from '../texts/index.ts'
import { stepUpTexts as words } from '../texts/step-up.ts'
import type { SignInRequest } from './ask.ts'

/** Signs in again on the same page: by passkey, or by a code e-mailed to the account's own address. */
export function StepUpDialog({ request: { kind, answer }, account }: { request: SignInRequest; account: Account }) {
  const { id, email } = account
  const [mailed, setMailed] = useState<Mailed | null>(null)
  const earlier = useRef<Promise<string | undefined>>(undefined)
  useEffect(() => {
    // The replaced session is ended after the new sign-in.
    earlier.current = berth.listSessions().then(
      ({ sessions }) => sessions.find(({ current }) => current)?.id,
      () => undefined,
    )
  }, [])
  const mail = useAction(async () => {
    setMailed(await berth.login({ email }))
  })
  const signedIn = async (now: Account, close: CloseDialog) => {
    // Another account's passkey opened that account: this page must not show the old one.
    if (now.id !== id) return window.location.reload()
    const replaced = await earlier.current
    if (replaced) await berth.endSession({ id: replaced }).catch(() => {})
    close(true)
  }
  return (
    <Dialog className="dialog step-up" aria-label={words.title} onClose={answer}>
      {(close) =>
        mailed ? (
          <CodeForm
            email={email}
            mailed={mailed}
            Heading="h2"
            onSignedIn={(now) => signedIn(now, close)}
            onBack={() => close(false)}
            back={texts.common.cancel}
          />
        ) : (
          <>
            <h2>{words.title}</h2>
            <p className="muted">{kind === 'passkey' ? words.byPasskey : words.lead}</p>
            {kind === 'passkey' && !passkeysWork() && <p>{words.noPasskeys}</p>}
            <PasskeyButton onSignedIn={(now) => signedIn(now, close)} />
            {kind === 'recent' && (
              <Button variant="primary" busy={mail.busy} onClick={() => mail.run()}>
                {words.mail(email)}
              </Button>
            )}
            <Problem text={mail.problem} />
            <div className="buttons end">
              <Button onClick={() => close(false)}>{texts.common.cancel}</Button>
            </div>
          </>
        )
      }
    </Dialog>
  )
}
