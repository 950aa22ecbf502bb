import { type FormEvent, useState } from 'react'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { showDayTime } from '../format.ts'

/** Names of the environment variables; a value can be set and replaced, and is never shown. */
export function VariablesCard() {
  const { data, setData } = useData(berth.getInstanceEnv)
  const variables = data?.variables ?? []
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const change = useAction(async (changes: Record<string, string | null>) => {
    setData(await berth.setInstanceEnv({ variables: changes }))
    setName('')
    setValue('')
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name !== '') change.run({ [name]: value })
  }
  return (
    <section className="card" aria-labelledby="variables-title">
      <h2 id="variables-title">Environment variables</h2>
      <p className="hint">
        Values are encrypted and never shown again. The agent gets changes with its next start: refresh the machine.
      </p>
      {variables.length > 0 && (
        <ul className="rows">
          {variables.map((variable) => (
            <li key={variable.name} className="row">
              <span className="row-name">
                <code>{variable.name}</code>
              </span>
              <span className="muted">set {showDayTime(variable.updatedAt)}</span>
              <Button busy={change.busy} onClick={() => change.run({ [variable.name]: null })}>
                Remove<span className="visually-hidden"> {variable.name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={submit} noValidate>
        <div className="field">
          <label htmlFor="variable-name">Name</label>
          <input
            id="variable-name"
            value={name}
            placeholder="GITHUB_TOKEN"
            autoComplete="off"
            maxLength={64}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="variable-value">Value</label>
          <input
            id="variable-value"
            type="password"
            value={value}
            autoComplete="new-password"
            onChange={(event) => setValue(event.target.value)}
          />
        </div>
        <p className="field-problem" role="alert">
          {change.problem}
        </p>
        <Button variant="primary" submit busy={change.busy} disabled={name === ''}>
          Save variable
        </Button>
      </form>
    </section>
  )
}
