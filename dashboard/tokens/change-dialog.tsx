import { useEffect, useRef, useState } from 'react'
import type { Pat } from '../../domain/tokens/pat.ts'
import { api, type MintedPat } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { useAction } from '../parts/use-action.ts'

const graces = [
  { hours: 0, words: 'ends at once' },
  { hours: 1, words: 'works for another hour' },
  { hours: 24, words: 'works for another day' },
]

/** Renames a token, or replaces it; answers the new token when it was replaced. */
export function ChangeDialog({ token, onClose }: { token: Pat; onClose: (replaced: MintedPat | null) => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [name, setName] = useState(token.name)
  const [hours, setHours] = useState(24)
  const [replaced, setReplaced] = useState<MintedPat | null>(null)
  const rename = useAction(async () => {
    await api.rename(token.id, name.trim())
    dialog.current?.close()
  })
  const reroll = useAction(async () => {
    setReplaced(await api.reroll(token.id, hours))
  })
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    if (replaced) dialog.current?.close()
  }, [replaced])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="change-title" onClose={() => onClose(replaced)}>
      <h2 id="change-title">Change “{token.name}”</h2>
      <div className="field">
        <label htmlFor="rename">Name</label>
        <input id="rename" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        <p className="field-problem" role="alert">
          {rename.details.name?.[0] ?? rename.problem}
        </p>
      </div>
      <div className="buttons end">
        <Button onPress={() => dialog.current?.close()}>Cancel</Button>
        <Button look="primary" busy={rename.busy} onPress={() => rename.run()}>
          Rename
        </Button>
      </div>
      <hr />
      <p>Replace it by a new token with the same permissions and expiry, for example because it may have been seen.</p>
      <div className="field">
        <label htmlFor="grace">The old token</label>
        <select id="grace" value={hours} onChange={(event) => setHours(Number(event.target.value))}>
          {graces.map((one) => (
            <option key={one.hours} value={one.hours}>
              {one.words}
            </option>
          ))}
        </select>
        <p className="field-problem" role="alert">
          {reroll.problem}
        </p>
      </div>
      <div className="buttons end">
        <Button busy={reroll.busy} onPress={() => reroll.run()}>
          Replace token
        </Button>
      </div>
    </dialog>
  )
}
