import { useEffect, useRef, useState } from 'react'
import type { Instance } from '../../domain/instance/instance.ts'
import { useAccount } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'

/** The way to delete the instance, behind a question that names what is lost. */
export function DeleteCard({ instance }: { instance: Instance }) {
  const [asking, setAsking] = useState(false)
  return (
    <section className="card" aria-labelledby="delete-title">
      <h2 id="delete-title">Delete</h2>
      <p className="hint">
        Ends the machine; its files, memory and schedules are lost for ever. Your wallet and plan stay.
      </p>
      <Button variant="danger" onClick={() => setAsking(true)}>
        Delete the instance…
      </Button>
      {asking && <DeleteDialog instance={instance} onClose={() => setAsking(false)} />}
    </section>
  )
}

function DeleteDialog({ instance, onClose }: { instance: Instance; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { setInstance } = useAccount()
  const [typed, setTyped] = useState('')
  const remove = useAction(async () => {
    setInstance((await berth.deleteInstance({ confirm: instance.id })).instance)
    dialog.current?.close()
  })
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="really-title"
      aria-describedby="really-words"
      onClose={onClose}
    >
      <h2 id="really-title">Delete the instance for ever?</h2>
      <p id="really-words">Its files and memory are lost. Nobody can bring them back: export what you want to keep.</p>
      <div className="field">
        <label htmlFor="really-typed">Type “delete” to confirm</label>
        <input id="really-typed" value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
      </div>
      <p className="field-problem" role="alert">
        {remove.problem}
      </p>
      <div className="buttons end">
        <Button onClick={() => dialog.current?.close()}>Keep it</Button>
        <Button variant="danger" busy={remove.busy} disabled={typed.trim() !== 'delete'} onClick={() => remove.run()}>
          Delete for ever
        </Button>
      </div>
    </dialog>
  )
}
