import { useState } from 'react'
import type { Persona } from '../../domain/catalogue/persona.ts'
import { useAccount, useServerEvents } from '../account-state.tsx'
import { berth } from '../api/client.ts'
import { PersonaEditor } from '../catalogue/persona-editor.tsx'
import { Tabs } from '../catalogue/tabs.tsx'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'

export function PersonasPage() {
  const { data, setData, problem, reload } = useData(berth.listPersonas)
  const personas = data?.personas
  const [editing, setEditing] = useState<Persona | 'new' | null>(null)

  useServerEvents('persona.', reload)

  return (
    <>
      <Tabs current="/personas" />
      <h1>Personas</h1>
      <p className="muted page-lead">
        How your agent speaks and what it minds. One is active; a change holds from its next message on.
      </p>
      {!personas && <Loading problem={problem} retry={reload} />}
      {personas && (
        <ul className="card rows" aria-label="Personas">
          {personas.map((persona) => (
            <PersonaRow key={persona.id} persona={persona} onChange={setData} onEdit={() => setEditing(persona)} />
          ))}
        </ul>
      )}
      {editing === null ? (
        <p>
          <Button onClick={() => setEditing('new')}>Write your own</Button>
        </p>
      ) : (
        <PersonaEditor
          key={editing === 'new' ? '' : editing.id}
          persona={editing === 'new' ? null : editing}
          onSaved={reload}
          onDeleted={(left) => {
            setData({ personas: left })
            setEditing(null)
          }}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  )
}

interface RowProps {
  persona: Persona
  onChange: (answer: { personas: Persona[] }) => void
  onEdit: () => void
}

function PersonaRow({ persona, onChange, onEdit }: RowProps) {
  const { status } = useAccount()
  const { id, name, description, active, builtIn, version, size } = persona
  const choose = useAction(async () => {
    onChange(await (active ? berth.deactivatePersona({ id }) : berth.activatePersona({ id })))
  })
  return (
    <li className="row">
      <div className="row-text">
        <p className="row-name">
          {name} {active && <span className="pill good">Active</span>}
        </p>
        {description && <p>{description}</p>}
        <p className="muted">
          {builtIn ? 'Built in' : `Yours, version ${version}`} · {size.characters.toLocaleString('en')} of{' '}
          {size.maxCharacters.toLocaleString('en')} characters, about {size.tokens.toLocaleString('en')} tokens
        </p>
        <p className="field-problem" role="alert">
          {choose.problem}
        </p>
      </div>
      <div className="buttons">
        {!builtIn && (
          <Button onClick={onEdit}>
            Edit<span className="visually-hidden"> {name}</span>
          </Button>
        )}
        {!(active && id === 'default') && status?.instance && (
          <Button variant={active ? 'plain' : 'primary'} busy={choose.busy} onClick={() => choose.run()}>
            {active ? 'Back to default' : 'Activate'}
            <span className="visually-hidden"> {name}</span>
          </Button>
        )}
      </div>
    </li>
  )
}
