import { useState } from 'react'
import type { Hook } from '../../domain/hooks/hook.ts'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy-line.tsx'
import { ActionForm } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { Route } from './route.tsx'

const words = webhookTexts.hooks

interface NewSecret {
  hook: Hook
  secret: string
}

/** Shows new secrets once. */
export function HooksCard() {
  const { data, setData } = useRead('listHooks')
  const hooks = data?.hooks ?? []
  const [fresh, setFresh] = useState<NewSecret | null>(null)
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  // A read right after the write may not contain it yet.
  const keep = (change: (hooks: Hook[]) => Hook[]) => data && setData({ ...data, hooks: change(data.hooks) })
  const add = useAction(async () => {
    const made = await berth.createHook({ name: name.trim(), text: text.trim() })
    setFresh(made)
    setName('')
    setText('')
    keep((hooks) => [made.hook, ...hooks])
  })
  const change = useAction(async (id: string, what: 'delete' | 'reroll') => {
    if (what === 'reroll') return setFresh(await berth.rerollHook({ id }))
    await berth.deleteHook({ id })
    setFresh((shown) => (shown?.hook.id === id ? null : shown))
    keep((hooks) => hooks.filter((hook) => hook.id !== id))
  })
  return (
    <section className="card" aria-labelledby="hooks-title">
      <h2 id="hooks-title">{words.title}</h2>
      <Route from={words.from} to={words.to} />
      <p className="hint">
        {words.hint}
        {data && ` ${words.limit(data.deliveriesAnHour)}`}
      </p>
      {fresh && <SecretLines {...fresh} onDone={() => setFresh(null)} />}
      {hooks.length > 0 ? (
        <ul className="rows">
          {hooks.map((hook) => (
            <li key={hook.id} className="row">
              <span className="row-name">
                {hook.name}
                <br />
                <span className="muted">
                  {hook.text}
                  {hook.lastDelivery &&
                    ` · ${showDayTime(hook.lastDelivery.at)} ${words.outcomes[hook.lastDelivery.outcome]}`}
                </span>
              </span>
              <Button
                of={words.newSecretFor(hook.name)}
                busy={change.busy}
                onClick={() => change.run(hook.id, 'reroll')}
              >
                {words.newSecret}
              </Button>
              <Button of={hook.name} busy={change.busy} onClick={() => change.run(hook.id, 'delete')}>
                {words.remove}
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        data && <p className="muted">{words.empty}</p>
      )}
      <ActionForm
        action={{ busy: add.busy, problem: add.problem ?? change.problem }}
        button={words.add}
        disabled={name.trim() === '' || text.trim() === ''}
        onSubmit={add.run}
      >
        <TextField
          label={words.name}
          value={name}
          placeholder={words.namePlaceholder}
          autoComplete="off"
          maxLength={100}
          onText={setName}
        />
        <TextField
          label={words.text}
          value={text}
          placeholder={words.textPlaceholder}
          maxLength={4000}
          onText={setText}
        />
      </ActionForm>
    </section>
  )
}

const SecretLines = ({ hook, secret, onDone }: NewSecret & { onDone: () => void }) => (
  <>
    <Notice tone="info">{webhookTexts.copyOnce(hook.name)}</Notice>
    <CopyLine label={words.address} text={hook.address} />
    <CopyLine label={words.secret} text={secret} />
    <CopyLine
      label={words.curl}
      text={`curl ${hook.address} -H "Authorization: Bearer ${secret}" -d "${words.curlText}"`}
    />
    <p className="hint">
      {words.senders} <code>application/json</code>
      {words.sendersEnd}
    </p>
    <Button onClick={onDone}>{webhookTexts.stored}</Button>
  </>
)
