import { useEffect, useRef, useState } from 'react'
import { BerthError } from '../../clients/typescript/client.ts'
import { berth, session } from '../api/client.ts'
import { exportAccount } from '../api/operations.ts'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { SignInAgainNotice, useRecentSignIn } from './recent-sign-in.tsx'

/** Hands a JSON document to the visitor as a file. */
function save(name: string, document_: object): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(document_, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

export function DataCard() {
  const [stale, setStale] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const download = useRecentSignIn(async () => save('berth-account.json', await exportAccount()))
  return (
    <section className="card" aria-labelledby="data-title">
      <h2 id="data-title">Your data</h2>
      <p className="muted">
        The export is one JSON file: account, ledger, conversations, instance, personas, tokens, devices and what was
        done. Both this and deleting want a sign-in at most ten minutes old.
      </p>
      {(stale || download.stale) && <SignInAgainNotice />}
      {download.problem && <Notice tone="bad">{download.problem}</Notice>}
      <div className="buttons">
        <Button busy={download.busy} onClick={() => download.run()}>
          Download my data
        </Button>
        <Button variant="danger" onClick={() => setDeleting(true)}>
          Delete account
        </Button>
      </div>
      {deleting && (
        <DeleteDialog
          onClose={(how) => {
            setDeleting(false)
            if (how === 'stale') setStale(true)
            if (how === 'deleted') session.dispatchEvent(new Event('signed-out'))
          }}
        />
      )}
    </section>
  )
}

function DeleteDialog({ onClose }: { onClose: (how: string) => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const remove = useAction(async () => {
    try {
      await berth.deleteAccount()
      dialog.current?.close('deleted')
    } catch (thrown) {
      if (!(thrown instanceof BerthError) || thrown.code !== 'forbidden') throw thrown
      dialog.current?.close('stale')
    }
  })
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="delete-title"
      aria-describedby="delete-words"
      onClose={(event) => onClose(event.currentTarget.returnValue)}
    >
      <h2 id="delete-title">Delete your account?</h2>
      <p id="delete-words">
        Every device is signed out, all tokens are revoked and your agent stops at once. In 30 days everything is erased
        for good, the agent’s files and what is left in the wallet too. Signing in before then keeps the account.
      </p>
      <p className="field-problem" role="alert">
        {remove.problem}
      </p>
      <div className="buttons end">
        <Button onClick={() => dialog.current?.close()}>Keep it</Button>
        <Button variant="danger" busy={remove.busy} onClick={() => remove.run()}>
          Delete my account
        </Button>
      </div>
    </dialog>
  )
}
