import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { ActionForm } from '../components/form.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDay, showDayTime } from '../format.ts'
import { accountTexts } from '../texts/account.ts'
import { makePasskey, passkeysWork } from './passkeys.ts'

const words = accountTexts.passkeys

export function PasskeysCard() {
  const { data, problem, reload } = useRead('listPasskeys')
  const [name, setName] = useState('')
  const add = useAction(async () => {
    await makePasskey(name.trim() || words.noName)
    setName('')
    reload()
  })
  const remove = useAction(async (id: string) => {
    await berth.removePasskey({ id })
    reload()
  })
  return (
    <section aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">{words.title}</h2>
      {remove.problem && <Notice tone="bad">{remove.problem}</Notice>}
      {!data && <Loading problem={problem} retry={reload} />}
      {data && data.passkeys.length > 0 && (
        <ul className="card rows">
          {data.passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
            <li key={id} className="row">
              <div className="row-text">
                <p className="row-name">{name}</p>
                <p className="muted">
                  {lastUsedAt
                    ? words.used(showDay(createdAt), showDayTime(lastUsedAt))
                    : words.neverUsed(showDay(createdAt))}
                </p>
              </div>
              <Button of={name} disabled={remove.busy} onClick={() => remove.run(id)}>
                {words.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="card">
        <p className="muted">{words.hint}</p>
        {passkeysWork() ? (
          <ActionForm action={add} button={words.add} variant="plain" onSubmit={add.run}>
            <TextField
              label={words.name}
              maxLength={100}
              placeholder={words.namePlaceholder}
              value={name}
              onText={setName}
            />
          </ActionForm>
        ) : (
          <p className="muted">
            {words.byName} <a href={`http://localhost:${window.location.port}/account`}>localhost</a>
            {words.byNameEnd}
          </p>
        )}
      </div>
    </section>
  )
}
