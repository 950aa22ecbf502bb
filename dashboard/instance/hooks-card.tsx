import { type FormEvent, useState } from 'react'
import type { Hook } from '../../domain/hooks/hook.ts'
import type { RunOutcome } from '../../domain/instance/schedules.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { CopyLine } from '../components/copy-line.tsx'
import { Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showDayTime } from '../format.ts'

const outcomeLabels: Record<RunOutcome, string> = {
  sent: 'asked',
  paused: 'refused, the machine was paused',
  'no-instance': 'refused, there was no machine',
  'wallet-empty': 'refused, the wallet could not pay',
}

interface NewSecret {
  hook: Hook
  secret: string
}

/** Addresses at which other programs ask the agent, and their secrets while they are new. */
export function HooksCard() {
  const { data, setData } = useData(berth.listHooks)
  const hooks = data?.hooks ?? []
  const [fresh, setFresh] = useState<NewSecret | null>(null)
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  // What is read anew may not have what was just written yet.
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.run()
  }
  return (
    <section className="card" aria-labelledby="hooks-title">
      <h2 id="hooks-title">Webhooks</h2>
      <p className="hint">
        Another program sends something to an address, and the agent does with it what you say here. It wakes a machine
        that sleeps, and leaves alone one that you paused.
        {data && ` An address takes ${data.deliveriesAnHour} deliveries an hour.`}
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
                    ` · ${showDayTime(hook.lastDelivery.at)} ${outcomeLabels[hook.lastDelivery.outcome]}`}
                </span>
              </span>
              <Button busy={change.busy} onClick={() => change.run(hook.id, 'reroll')}>
                New secret<span className="visually-hidden"> for {hook.name}</span>
              </Button>
              <Button busy={change.busy} onClick={() => change.run(hook.id, 'delete')}>
                Delete<span className="visually-hidden"> {hook.name}</span>
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        data && <p className="muted">No webhook yet. GitHub, a monitor or a script of yours can be the first to ask.</p>
      )}
      <form onSubmit={submit} noValidate>
        <div className="field">
          <label htmlFor="hook-name">Webhook’s name</label>
          <input
            id="hook-name"
            value={name}
            placeholder="Failed builds"
            autoComplete="off"
            maxLength={100}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="hook-text">What the agent does with what is sent</label>
          <input
            id="hook-text"
            value={text}
            placeholder="Look at what failed, and tell me why."
            maxLength={4000}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <p className="field-problem" role="alert">
          {add.problem ?? change.problem}
        </p>
        <Button variant="primary" submit busy={add.busy} disabled={name.trim() === '' || text.trim() === ''}>
          Add webhook
        </Button>
      </form>
    </section>
  )
}

/** The one time a secret can be seen. */
function SecretLines({ hook, secret, onDone }: NewSecret & { onDone: () => void }) {
  return (
    <>
      <Notice tone="info">Copy the secret of “{hook.name}” now. It is shown this once.</Notice>
      <CopyLine label="Webhook address" text={hook.address} />
      <CopyLine label="Webhook secret" text={secret} />
      <CopyLine
        label="Webhook curl command"
        text={`curl ${hook.address} -H "Authorization: Bearer ${secret}" -d "It works."`}
      />
      <p className="hint">
        GitHub: paste address and secret, content type <code>application/json</code>. Senders of Standard Webhooks take
        the same two.
      </p>
      <Button onClick={onDone}>I have stored it</Button>
    </>
  )
}
