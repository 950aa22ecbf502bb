import { useRef, useState } from 'react'
import type { MintedPat } from '../../clients/typescript/operations.ts'
import { spends } from '../../domain/spending-scope.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import { Button } from '../components/button.tsx'
import { ChoiceField } from '../components/choice-field.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { type CloseDialog, Dialog } from '../components/dialog.tsx'
import { Problem } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { texts } from '../texts/index.ts'
import { tokenTexts } from '../texts/tokens.ts'
import { capProblems, readCaps, typedCaps } from './cap.ts'
import { CapFields } from './cap-fields.tsx'

/** `onClose` receives the new token if it was replaced. */
export function ChangeDialog({ token, onClose }: { token: Pat; onClose: (replaced: MintedPat | null) => void }) {
  const replaced = useRef<MintedPat>(null)
  return (
    <Dialog aria-label={tokenTexts.change.title(token.name)} onClose={() => onClose(replaced.current)}>
      {(close) => (
        <>
          <h2>{tokenTexts.change.title(token.name)}</h2>
          {!token.app && <Rename token={token} close={close} />}
          {token.scopes.some(spends) && <CapForm token={token} close={close} />}
          {!token.app && (
            <Replace
              token={token}
              onReplaced={(by) => {
                replaced.current = by
                close(true)
              }}
            />
          )}
        </>
      )}
    </Dialog>
  )
}

interface PartProps {
  token: Pat
  close: CloseDialog
}

function Rename({ token, close }: PartProps) {
  const words = tokenTexts.change
  const [name, setName] = useState(token.name)
  const rename = useAction(async () => {
    await berth.changeToken({ id: token.id, name: name.trim() })
    close(true)
  })
  return (
    <>
      <TextField
        label={words.name}
        maxLength={100}
        value={name}
        onText={setName}
        problem={rename.details.name?.[0] ?? rename.problem}
      />
      <div className="buttons end">
        <Button onClick={() => close(false)}>{texts.common.cancel}</Button>
        <Button variant="primary" busy={rename.busy} onClick={() => rename.run()}>
          {words.rename}
        </Button>
      </div>
      <hr />
    </>
  )
}

function Replace({ token, onReplaced }: { token: Pat; onReplaced: (by: MintedPat) => void }) {
  const words = tokenTexts.change
  const [hours, setHours] = useState(24)
  const reroll = useAction(async () => onReplaced(await berth.rerollToken({ id: token.id, graceHours: hours })))
  return (
    <>
      <p>{words.replaceLead}</p>
      <ChoiceField
        label={words.old}
        value={hours}
        options={[
          [0, words.grace.now],
          [1, words.grace.hour],
          [24, words.grace.day],
        ]}
        onChoice={setHours}
      />
      <Problem text={reroll.problem} />
      <div className="buttons end">
        <Button busy={reroll.busy} onClick={() => reroll.run()}>
          {words.replace}
        </Button>
      </div>
    </>
  )
}

/** Changes caps in place: the token stays the same. */
function CapForm({ token, close }: PartProps) {
  const [caps, setCaps] = useState(() => typedCaps(token))
  const [wrong, setWrong] = useState<ReturnType<typeof capProblems>>({})
  const save = useAction(async () => {
    await berth.changeToken({ id: token.id, ...readCaps(caps) })
    close(true)
  })
  const submit = () => {
    const problems = capProblems(caps)
    setWrong(problems)
    if (Object.keys(problems).length === 0) save.run()
  }
  return (
    <>
      <CapFields id="change-cap" caps={caps} onChange={setCaps} problems={wrong} />
      <Problem text={save.problem} />
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
  return (
    <ConfirmDialog
      title={token.app ? words.titleApp(token.name) : words.title(token.name)}
      hint={token.app ? words.wordsApp : words.words(token.tokenPrefix)}
      keep={words.keep}
      confirm={token.app ? words.disconnect : words.revoke}
      act={() => berth.revokeToken({ id: token.id })}
      onClose={onClose}
    />
  )
}
