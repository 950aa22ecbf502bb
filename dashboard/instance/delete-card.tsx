import { useEffect, useRef, useState } from 'react'
import type { Instance } from '../../domain/instance/instance.ts'
import { useAccount } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { instanceTexts } from '../texts/instance.ts'

const words = instanceTexts.deletion

export function DeleteCard({ instance }: { instance: Instance }) {
  const [asking, setAsking] = useState(false)
  return (
    <section className="card" aria-labelledby="delete-title">
      <h2 id="delete-title">{words.title}</h2>
      <p className="hint">{words.hint}</p>
      <Button variant="danger" onClick={() => setAsking(true)}>
        {words.ask}
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
      <h2 id="really-title">{words.really}</h2>
      <p id="really-words">{words.lost}</p>
      <TextField
        label={words.type(words.word)}
        id="really-typed"
        value={typed}
        autoComplete="off"
        onText={setTyped}
        problem={remove.problem}
      />
      <div className="buttons end">
        <Button onClick={() => dialog.current?.close()}>{words.keep}</Button>
        <Button variant="danger" busy={remove.busy} disabled={typed.trim() !== words.word} onClick={() => remove.run()}>
          {words.confirm}
        </Button>
      </div>
    </dialog>
  )
}
