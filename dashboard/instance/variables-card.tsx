import { type FormEvent, useCallback, useEffect, useState } from 'react'
import type { Variable } from '../../domain/instance/variables.ts'
import { api } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { useAction } from '../parts/use-action.ts'
import { showDayTime } from '../words.ts'

/** Names of the environment variables; a value can be set and replaced, and is never shown. */
export function VariablesCard() {
  const [variables, setVariables] = useState<Variable[]>([])
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const load = useCallback(
    () =>
      void api.variables().then(
        (found) => setVariables(found.variables),
        () => {},
      ),
    [],
  )
  useEffect(load, [load])
  const change = useAction(async (changes: Record<string, string | null>) => {
    setVariables((await api.setVariables(changes)).variables)
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
          {variables.map((one) => (
            <li key={one.name} className="row">
              <span className="row-name">
                <code>{one.name}</code>
              </span>
              <span className="muted">set {showDayTime(one.updatedAt)}</span>
              <Button busy={change.busy} onPress={() => change.run({ [one.name]: null })}>
                Remove<span className="unseen"> {one.name}</span>
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
        <Button look="primary" submit busy={change.busy} disabled={name === ''}>
          Save variable
        </Button>
      </form>
    </section>
  )
}
