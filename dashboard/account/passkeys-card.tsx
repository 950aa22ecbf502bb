import { type FormEvent, useState } from 'react'
import type { Passkey } from '../../domain/account/passkey.ts'
import { Button } from '../parts/button.tsx'
import { Loading, Notice } from '../parts/notice.tsx'
import { showDay, showDayTime } from '../words.ts'
import { accountApi } from './calls.ts'
import { StaleNotice, useFresh } from './fresh.tsx'
import { makePasskey, passkeysWork } from './passkey.ts'
import { useList } from './use-list.ts'

const read = async () => (await accountApi.passkeys()).passkeys

export function PasskeysCard() {
  const { items, problem, reload } = useList<Passkey>(read)
  const [name, setName] = useState('')
  const add = useFresh(async () => {
    await makePasskey(name.trim() || 'My device')
    setName('')
    reload()
  })
  const remove = useFresh(async (id: string) => {
    await accountApi.removePasskey(id)
    reload()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.run()
  }
  return (
    <section aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">Passkeys</h2>
      {(add.stale || remove.stale) && <StaleNotice />}
      {remove.problem && <Notice tone="bad">{remove.problem}</Notice>}
      {!items && <Loading problem={problem} retry={reload} />}
      {items && items.length > 0 && (
        <ul className="card rows">
          {items.map((one) => (
            <li key={one.id} className="row">
              <div className="row-what">
                <p className="row-name">{one.name}</p>
                <p className="muted">
                  Added {showDay(one.createdAt)} ·{' '}
                  {one.lastUsedAt ? `last used ${showDayTime(one.lastUsedAt)}` : 'never used'}
                </p>
              </div>
              <button type="button" className="button plain" disabled={remove.busy} onClick={() => remove.run(one.id)}>
                Remove<span className="unseen"> {one.name}</span>
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
