import { useState } from 'react'
import type { Instance } from '../../domain/instance/instance.ts'
import { useAccount } from '../account-state.tsx'
import { Button } from '../components/button.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { TextField } from '../components/text-field.tsx'
import { berth } from '../data/client.ts'
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
  const { setInstance } = useAccount()
  const [typed, setTyped] = useState('')
  return (
    <ConfirmDialog
      title={words.really}
      hint={words.lost}
      keep={words.keep}
      confirm={words.confirm}
      disabled={typed.trim() !== words.word}
      act={async () => setInstance((await berth.deleteInstance({ confirm: instance.id })).instance)}
      onClose={onClose}
    >
      <TextField label={words.type(words.word)} value={typed} autoComplete="off" onText={setTyped} />
    </ConfirmDialog>
  )
}
