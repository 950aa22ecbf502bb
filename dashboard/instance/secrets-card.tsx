import { type FormEvent, useState } from 'react'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showDayTime } from '../format.ts'

const blank = { name: '', value: '', hosts: '', header: 'Authorization', template: 'Bearer {}' }

/** Secrets that the machine puts into the agent's requests; a value can be set and replaced, and is never shown. */
export function SecretsCard() {
  const { data, setData } = useData(berth.getInstanceSecrets)
  const secrets = data?.secrets ?? []
  const [fields, setFields] = useState(blank)
  const change = useAction(async (changes: Parameters<typeof berth.setInstanceSecrets>[0]['secrets']) => {
    setData(await berth.setInstanceSecrets({ secrets: changes }))
    setFields(blank)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { name, value, hosts, header, template } = fields
    change.run({ [name.trim()]: { value, hosts: hosts.split(/[\s,]+/).filter(Boolean), header, template } })
  }
  const field = (key: keyof typeof blank, label: string, more: { placeholder?: string; type?: 'password' } = {}) => (
    <div className="field">
      <label htmlFor={`secret-${key}`}>{label}</label>
      <input
        id={`secret-${key}`}
        value={fields[key]}
        autoComplete={more.type ? 'new-password' : 'off'}
        onChange={(event) => setFields({ ...fields, [key]: event.target.value })}
        {...more}
      />
    </div>
  )
  return (
    <section className="card" aria-labelledby="secrets-title">
      <h2 id="secrets-title">Secrets the agent cannot read</h2>
      <p className="hint">
        The machine puts the value into requests to the hosts you name, and takes it out of their answers. The agent
        asks for <code>/secrets/name/https/host/path</code> at its loopback address. A machine that runs has changes
        within a minute.
      </p>
      {secrets.length > 0 ? (
        <ul className="rows">
          {secrets.map(({ name, hosts, header, updatedAt }) => (
            <li key={name} className="row">
              <span className="row-name">
                <code>{name}</code>
                <br />
                <span className="muted">
                  {hosts.join(', ')} · {header}
                </span>
              </span>
              <span className="muted">set {showDayTime(updatedAt)}</span>
              <Button busy={change.busy} onClick={() => change.run({ [name]: null })}>
                Remove<span className="visually-hidden"> {name}</span>
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        data && <p className="muted">None yet. A key that the agent should use and never see belongs here.</p>
      )}
      <form onSubmit={submit} noValidate>
        {field('name', 'Secret’s name', { placeholder: 'github' })}
        {field('value', 'Secret’s value', { type: 'password' })}
        {field('hosts', 'Hosts it may go to', { placeholder: 'api.github.com' })}
        {field('header', 'Header')}
        {field('template', 'Header’s value, with {} for the secret')}
        <p className="field-problem" role="alert">
          {change.problem}
        </p>
        <Button variant="primary" submit busy={change.busy} disabled={!fields.name || !fields.value || !fields.hosts}>
          Save secret
        </Button>
      </form>
    </section>
  )
}
