import { useEffect, useRef, useState } from 'react'
import type { MintedPat } from '../../clients/typescript/operations.ts'
import { spends } from '../../domain/spending-scope.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { texts } from '../texts/index.ts'
import { tokenTexts } from '../texts/tokens.ts'
import { capProblems, readCaps, typedCaps } from './cap.ts'
import { CapFields } from './cap-fields.tsx'

const gracePeriods = [
  { hours: 0, words: 'now' },
  { hours: 1, words: 'hour' },
  { hours: 24, words: 'day' },
] as const

/** `onClose` receives the new token if it was replaced. */
export function ChangeDialog({ token, onClose }: { token: Pat; onClose: (replaced: MintedPat | null) => void }) {
  const words = tokenTexts.change
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
      <h2 id="change-title">{words.title(token.name)}</h2>
      {!token.app && (
        <>
          <div className="field">
            <label htmlFor="rename">{words.name}</label>
            <input id="rename" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
            <p className="field-problem" role="alert">
              {rename.details.name?.[0] ?? rename.problem}
            </p>
          </div>
          <div className="buttons end">
            <Button onClick={() => dialog.current?.close()}>{texts.common.cancel}</Button>
            <Button variant="primary" busy={rename.busy} onClick={() => rename.run()}>
              {words.rename}
            </Button>
          </div>
          <hr />
        </>
      )}
      {token.scopes.some(spends) && <CapForm token={token} onSaved={() => dialog.current?.close()} />}
      {!token.app && (
        <>
          <p>{words.replaceLead}</p>
          <div className="field">
            <label htmlFor="grace">{words.old}</label>
            <select id="grace" value={hours} onChange={(event) => setHours(Number(event.target.value))}>
              {gracePeriods.map((grace) => (
                <option key={grace.hours} value={grace.hours}>
                  {words.grace[grace.words]}
                </option>
              ))}
            </select>
            <p className="field-problem" role="alert">
              {reroll.problem}
            </p>
          </div>
          <div className="buttons end">
            <Button busy={reroll.busy} onClick={() => reroll.run()}>
              {words.replace}
            </Button>
          </div>
        </>
      )}
    </dialog>
  )
}

/** Changes caps in place: the token stays the same. */
function CapForm({ token, onSaved }: { token: Pat; onSaved: () => void }) {
  const [caps, setCaps] = useState(() => typedCaps(token))
  const [wrong, setWrong] = useState<ReturnType<typeof capProblems>>({})
  const save = useAction(async () => {
    await berth.changeToken({ id: token.id, ...readCaps(caps) })
    onSaved()
  })
  const submit = () => {
    const problems = capProblems(caps)
    setWrong(problems)
    if (Object.keys(problems).length === 0) save.run()
  }
  return (
    <>
      <CapFields id="change-cap" caps={caps} onChange={setCaps} problems={wrong} />
      <p className="field-problem" role="alert">
        {save.problem}
      </p>
      <div className="buttons end">
        <Button busy={save.busy} onClick={submit}>
          {tokenTexts.caps.save}
        </Button>
      </div>
      <hr />
    </>
  )
}

export function RevokeDialog({ token, onClose }: { token: Pat; onClose: (revoked: boolean) => void }) {
  const words = tokenTexts.revoke
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
      <h2 id="revoke-title">{token.app ? words.titleApp(token.name) : words.title(token.name)}</h2>
      <p id="revoke-words">{token.app ? words.wordsApp : words.words(token.tokenPrefix)}</p>
      <p className="field-problem" role="alert">
        {revoke.problem}
      </p>
      <div className="buttons end">
        <Button onClick={() => dialog.current?.close()}>{words.keep}</Button>
        <Button variant="danger" busy={revoke.busy} onClick={() => revoke.run()}>
          {token.app ? words.disconnect : words.revoke}
        </Button>
      </div>
    </dialog>
  )
}
