import { type FormEvent, useState } from 'react'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useData } from '../components/use-data.ts'
import { showDay, showDayTime } from '../format.ts'
import { makePasskey, passkeysWork } from './passkeys.ts'
import { SignInAgainNotice, useRecentSignIn } from './recent-sign-in.tsx'

export function PasskeysCard() {
  const { data, problem, reload } = useData(berth.listPasskeys)
  const [name, setName] = useState('')
  const add = useRecentSignIn(async () => {
    await makePasskey(name.trim() || 'My device')
    setName('')
    reload()
  })
  const remove = useRecentSignIn(async (id: string) => {
    await berth.removePasskey({ id })
    reload()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.run()
  }
  return (
    <section aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">Passkeys</h2>
      {(add.stale || remove.stale) && <SignInAgainNotice />}
      {remove.problem && <Notice tone="bad">{remove.problem}</Notice>}
      {!data && <Loading problem={problem} retry={reload} />}
      {data && data.passkeys.length > 0 && (
        <ul className="card rows">
          {data.passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
            <li key={id} className="row">
              <div className="row-text">
                <p className="row-name">{name}</p>
                <p className="muted">
                  Added {showDay(createdAt)} · {lastUsedAt ? `last used ${showDayTime(lastUsedAt)}` : 'never used'}
                </p>
              </div>
              <button type="button" className="button plain" disabled={remove.busy} onClick={() => remove.run(id)}>
                Remove<span className="visually-hidden"> {name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="card">
        <p className="muted">
          A passkey signs you in with your fingerprint, face or device PIN, without a mail. Adding or removing one wants
          a sign-in at most ten minutes old.
        </p>
        {passkeysWork() ? (
          <form onSubmit={submit} noValidate>
            <div className="field">
              <label htmlFor="passkey-name">Name of this device</label>
              <input
                id="passkey-name"
                maxLength={100}
                placeholder="Work laptop"
                value={name}
                onChange={(event) => setName(event.target.value)}
                aria-describedby="passkey-problem"
              />
              <p id="passkey-problem" className="field-problem" role="alert">
                {add.problem}
              </p>
            </div>
            <Button submit busy={add.busy}>
              Add a passkey
            </Button>
          </form>
        ) : (
          <p className="muted">
            Browsers make passkeys for names only: open this page at{' '}
            <a href={`http://localhost:${window.location.port}/account`}>localhost</a> to add one.
          </p>
        )}
      </div>
    </section>
  )
}
