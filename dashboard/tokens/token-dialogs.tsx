import { useEffect, useRef, useState } from 'react'
import type { MintedPat } from '../../clients/typescript/operations.ts'
import { spends } from '../../domain/spending-scope.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { DollarField, mostCapCents, problemOf, readCents, writeCents } from '../wallet/dollar-field.tsx'
import { capOf, microsPerCent } from './cap.ts'

const gracePeriods = [
  { hours: 0, label: 'ends at once' },
  { hours: 1, label: 'works for another hour' },
  { hours: 24, label: 'works for another day' },
]

/** Renames a token, caps or replaces it; answers the new token when it was replaced. */
export function ChangeDialog({ token, onClose }: { token: Pat; onClose: (replaced: MintedPat | null) => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [name, setName] = useState(token.name)
  const [hours, setHours] = useState(24)
  const [replaced, setReplaced] = useState<MintedPat | null>(null)
  const rename = useAction(async () => {
    await berth.changeToken({ id: token.id, name: name.trim() })
    dialog.current?.close()
  })
  const reroll = useAction(async () => {
    setReplaced(await berth.rerollToken({ id: token.id, graceHours: hours }))
  })
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    if (replaced) dialog.current?.close()
  }, [replaced])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="change-title" onClose={() => onClose(replaced)}>
      <h2 id="change-title">Change “{token.name}”</h2>
      {!token.app && (
        <>
          <div className="field">
            <label htmlFor="rename">Name</label>
            <input id="rename" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
            <p className="field-problem" role="alert">
              {rename.details.name?.[0] ?? rename.problem}
            </p>
          </div>
          <div className="buttons end">
            <Button onClick={() => dialog.current?.close()}>Cancel</Button>
            <Button variant="primary" busy={rename.busy} onClick={() => rename.run()}>
              Rename
            </Button>
          </div>
          <hr />
        </>
      )}
      {token.scopes.some(spends) && <CapForm token={token} onSaved={() => dialog.current?.close()} />}
      {!token.app && (
        <>
          <p>
            Replace it by a new token with the same permissions and expiry, for example because it may have been seen.
          </p>
          <div className="field">
            <label htmlFor="grace">The old token</label>
            <select id="grace" value={hours} onChange={(event) => setHours(Number(event.target.value))}>
              {gracePeriods.map((grace) => (
                <option key={grace.hours} value={grace.hours}>
                  {grace.label}
                </option>
              ))}
            </select>
            <p className="field-problem" role="alert">
              {reroll.problem}
            </p>
          </div>
          <div className="buttons end">
            <Button busy={reroll.busy} onClick={() => reroll.run()}>
              Replace token
            </Button>
          </div>
        </>
      )}
    </dialog>
  )
}

/** The most that a token may spend, changed for all that it goes on to call. */
function CapForm({ token, onSaved }: { token: Pat; onSaved: () => void }) {
  const micros = capOf(token)
  const [cap, setCap] = useState(micros === undefined ? '' : writeCents(Math.floor(micros / microsPerCent)))
  const [wrong, setWrong] = useState<string>()
  const save = useAction(async () => {
    const cents = readCents(cap)
    await berth.changeToken({ id: token.id, capMicros: cents === null ? null : cents * microsPerCent })
    onSaved()
  })
  const submit = () => {
    const problem = cap.trim() === '' ? undefined : problemOf(cap, 0, mostCapCents)
    setWrong(problem)
    if (!problem) save.run()
  }
  return (
    <>
      <DollarField
        id="change-cap"
        label="Most it may spend, in dollars"
        hint="In all, what it has spent included. Empty: as much as the wallet and its limits allow."
        value={cap}
        onChange={setCap}
        problem={wrong ?? save.problem ?? undefined}
      />
      <div className="buttons end">
        <Button busy={save.busy} onClick={submit}>
          Save limit
        </Button>
      </div>
      <hr />
    </>
  )
}

export function RevokeDialog({ token, onClose }: { token: Pat; onClose: (revoked: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const revoke = useAction(async () => {
    await berth.revokeToken({ id: token.id })
    dialog.current?.close('revoked')
  })
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="revoke-title"
      aria-describedby="revoke-words"
      onClose={(event) => onClose(event.currentTarget.returnValue === 'revoked')}
    >
      <h2 id="revoke-title">
        {token.app ? 'Disconnect' : 'Revoke'} “{token.name}”?
      </h2>
      <p id="revoke-words">
        {token.app ? (
          'The app'
        ) : (
          <>
            Whatever uses <code>{token.tokenPrefix}…</code>
          </>
        )}{' '}
        stops working at once, and so do tokens it made itself. This cannot be undone.
      </p>
      <p className="field-problem" role="alert">
        {revoke.problem}
      </p>
      <div className="buttons end">
        <Button onClick={() => dialog.current?.close()}>Keep it</Button>
        <Button variant="danger" busy={revoke.busy} onClick={() => revoke.run()}>
          {token.app ? 'Disconnect' : 'Revoke token'}
        </Button>
      </div>
    </dialog>
  )
}
