import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { ActionForm } from '../components/form.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { instanceTexts } from '../texts/instance.ts'

const words = instanceTexts.secrets

const blank = { name: '', value: '', hosts: '', header: 'Authorization', template: 'Bearer {}' }

/** Values can be set and replaced, and are never shown. */
export function SecretsCard() {
  const { data, setData } = useRead('getInstanceSecrets')
  const secrets = data?.secrets ?? []
  const [fields, setFields] = useState(blank)
  const change = useAction(async (changes: Parameters<typeof berth.setInstanceSecrets>[0]['secrets']) => {
    setData(await berth.setInstanceSecrets({ secrets: changes }))
    setFields(blank)
  })
  const save = () => {
    const { name, value, hosts, header, template } = fields
    change.run({ [name.trim()]: { value, hosts: hosts.split(/[\s,]+/).filter(Boolean), header, template } })
  }
  const field = (key: keyof typeof blank, label: string, more: { placeholder?: string; type?: 'password' } = {}) => (
    <TextField
      label={label}
      value={fields[key]}
      autoComplete={more.type ? 'new-password' : 'off'}
      onText={(text) => setFields({ ...fields, [key]: text })}
      {...more}
    />
  )
  return (
    <section className="card" aria-labelledby="secrets-title">
      <h2 id="secrets-title">{words.title}</h2>
      <p className="hint">
        {words.hint} <code>/secrets/name/https/host/path</code> {words.hintEnd}
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
              <span className="muted">{words.setAt(showDayTime(updatedAt))}</span>
              <Button of={name} busy={change.busy} onClick={() => change.run({ [name]: null })}>
                {words.remove}
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        data && <p className="muted">{words.empty}</p>
      )}
      <ActionForm
        action={change}
        button={words.save}
        disabled={!fields.name || !fields.value || !fields.hosts}
        onSubmit={save}
      >
        {field('name', words.name, { placeholder: 'github' })}
        {field('value', words.value, { type: 'password' })}
        {field('hosts', words.hosts, { placeholder: 'api.github.com' })}
        {field('header', words.header)}
        {field('template', words.template)}
      </ActionForm>
    </section>
  )
}
