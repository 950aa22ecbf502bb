import { useCallback, useEffect, useState } from 'react'
import { useChanges, useLive } from '../account.tsx'
import { catalogue, type Persona } from '../catalogue/calls.ts'
import { PersonaEditor } from '../catalogue/persona-editor.tsx'
import { Tabs } from '../catalogue/tabs.tsx'
import { wordsOf } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Loading } from '../parts/notice.tsx'
import { useAction } from '../parts/use-action.ts'

export function PersonasPage() {
  const [personas, setPersonas] = useState<Persona[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [editing, setEditing] = useState<Persona | 'new' | null>(null)

  const read = useCallback(() => {
    catalogue.personas().then(
      (answer) => {
        setPersonas(answer.personas)
        setProblem(null)
      },
      (thrown) => setProblem(wordsOf(thrown)),
    )
  }, [])
  useEffect(read, [read])
  useChanges('persona.', read)

  return (
    <>
      <Tabs current="/personas" />
      <h1>Personas</h1>
      <p className="muted page-lead">
        How your agent speaks and what it minds. One is active; a change holds from its next message on.
      </p>
      {!personas && <Loading problem={problem} retry={read} />}
      {personas && (
        <ul className="card rows" aria-label="Personas">
          {personas.map((one) => (
            <PersonaRow key={one.id} persona={one} onChange={setPersonas} onEdit={() => setEditing(one)} />
          ))}
        </ul>
      )}
      {editing === null ? (
        <p>
          <Button onPress={() => setEditing('new')}>Write your own</Button>
        </p>
      ) : (
        <PersonaEditor
          key={editing === 'new' ? '' : editing.id}
          persona={editing === 'new' ? null : editing}
          onSaved={read}
          onDeleted={(left) => {
            setPersonas(left)
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
  onChange: (personas: Persona[]) => void
  onEdit: () => void
}

function PersonaRow({ persona, onChange, onEdit }: RowProps) {
  const { status } = useLive()
  const { id, name, description, active, builtIn, version, size } = persona
  const choose = useAction(async () => {
    onChange((await (active ? catalogue.deactivate(id) : catalogue.activate(id))).personas)
  })
  return (
    <li className="row">
      <div className="row-what">
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
          <Button onPress={onEdit}>
            Edit<span className="unseen"> {name}</span>
          </Button>
        )}
        {!(active && id === 'default') && status?.instance && (
          <Button look={active ? 'plain' : 'primary'} busy={choose.busy} onPress={() => choose.run()}>
            {active ? 'Back to default' : 'Activate'}
            <span className="unseen"> {name}</span>
          </Button>
        )}
      </div>
    </li>
  )
}
