import { useEffect, useRef, useState } from 'react'
import { berth, session } from '../api/client.ts'
import { exportAccount } from '../api/operations.ts'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { save } from '../components/save.ts'
import { useAction } from '../components/use-action.ts'
import { accountTexts } from '../texts/account.ts'

const words = accountTexts.data

export function DataCard() {
  const [deleting, setDeleting] = useState(false)
  const download = useAction(async () =>
    save('berth-account.json', JSON.stringify(await exportAccount(), null, 2), 'application/json'),
  )
  return (
    <section className="card" aria-labelledby="data-title">
      <h2 id="data-title">{words.title}</h2>
      <p className="muted">{words.hint}</p>
      {download.problem && <Notice tone="bad">{download.problem}</Notice>}
      <div className="buttons">
        <Button busy={download.busy} onClick={() => download.run()}>
          {words.download}
        </Button>
        <Button variant="danger" onClick={() => setDeleting(true)}>
          {words.remove}
        </Button>
      </div>
      {deleting && (
        <DeleteDialog
          onClose={(how) => {
            setDeleting(false)
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
    await berth.deleteAccount()
    dialog.current?.close('deleted')
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
      <h2 id="delete-title">{words.really}</h2>
      <p id="delete-words">{words.reallyHint}</p>
      <p className="field-problem" role="alert">
        {remove.problem}
      </p>
      <div className="buttons end">
        <Button onClick={() => dialog.current?.close()}>{words.keep}</Button>
        <Button variant="danger" busy={remove.busy} onClick={() => remove.run()}>
          {words.confirm}
        </Button>
      </div>
    </dialog>
  )
}
