import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Notice } from '../components/notice.tsx'
import { save } from '../components/save.ts'
import { useAction } from '../components/use-action.ts'
import { berth, session } from '../data/client.ts'
import { exportAccount } from '../data/operations.ts'
import { accountTexts } from '../texts/account.ts'

const words = accountTexts.data

export function DataCard() {
  const [deleting, setDeleting] = useState(false)
  const download = useAction(async () =>
    save('berth-account.json', [JSON.stringify(await exportAccount(), null, 2)], 'application/json'),
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
        <ConfirmDialog
          title={words.really}
          hint={words.reallyHint}
          keep={words.keep}
          confirm={words.confirm}
          act={berth.deleteAccount}
          onClose={(deleted) => {
            setDeleting(false)
            if (deleted) session.dispatchEvent(new Event('signed-out'))
          }}
        />
      )}
    </section>
  )
}
