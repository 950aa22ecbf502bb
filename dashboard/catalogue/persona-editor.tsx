import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Operations } from '../../clients/typescript/operations.ts'
import type { Persona } from '../../domain/catalogue/persona.ts'
import { maxFileCharacters } from '../../domain/catalogue/persona-limits.ts'
import { berth, errorText } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { Versions } from './versions.tsx'

type PersonaDraft = Omit<Operations['savePersona']['input'], 'id'>

const blank: PersonaDraft = { name: '', description: '', files: [{ path: 'SOUL.md', text: '' }] }

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)

interface EditorProps {
  /** Null for a new one. */
  persona: Persona | null
  onSaved: () => void
  onDeleted: (left: Persona[]) => void
  onClose: () => void
}

/** Writes a persona of one's own; each save is a version. */
export function PersonaEditor({ persona, onSaved, onDeleted, onClose }: EditorProps) {
  const [draft, setDraft] = useState<PersonaDraft | null>(persona ? null : blank)
  const [problem, setProblem] = useState<string | null>(null)
  const [newest, setNewest] = useState(persona?.version ?? 0)
  const title = useRef<HTMLHeadingElement>(null)
  const id = persona?.id ?? slugOf(draft?.name ?? '')

  useEffect(() => {
    title.current?.focus()
    if (!persona) return
    berth.getPersona({ id: persona.id }).then(
      ({ persona: { name, description }, texts }) => setDraft({ name, description, files: texts }),
      (thrown) => setProblem(errorText(thrown)),
    )
  }, [persona, newest])

  const save = useAction(async (edited: PersonaDraft) => {
    const saved = await berth.savePersona({ id, ...edited })
    setNewest(saved.persona.version)
    onSaved()
    if (!persona) onClose()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (draft) save.run(draft)
  }
  const setText = (path: string, text: string) =>
    draft && setDraft({ ...draft, files: draft.files.map((file) => (file.path === path ? { path, text } : file)) })

  return (
    <section className="card" aria-labelledby="editor-title">
      <h2 id="editor-title" ref={title} tabIndex={-1}>
        {persona ? `Edit ${persona.name}` : 'A persona of your own'}
      </h2>
      {!draft && <Loading problem={problem} retry={onClose} />}
      {draft && (
        <form onSubmit={submit}>
          <div className="field">
            <label htmlFor="persona-name">Name</label>
            <input
              id="persona-name"
              required
              maxLength={100}
              autoComplete="off"
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
          </div>
          <div className="field">
            <label htmlFor="persona-about">What it is for</label>
            <input
              id="persona-about"
              maxLength={1024}
              autoComplete="off"
              value={draft.description}
              onChange={(event) => setDraft({ ...draft, description: event.target.value })}
            />
          </div>
          {draft.files.map(({ path, text }) => (
            <div className="field" key={path}>
              <label htmlFor={`persona-${path}`}>
                {path}{' '}
                <span className="muted">
                  {text.length.toLocaleString('en')} of {maxFileCharacters.toLocaleString('en')} characters
                </span>
              </label>
              <textarea
                id={`persona-${path}`}
                className="persona-text"
                rows={12}
                required
                maxLength={maxFileCharacters}
                value={text}
                onChange={(event) => setText(path, event.target.value)}
              />
            </div>
          ))}
          <p className="field-problem" role="alert">
            {save.problem}
          </p>
          <div className="buttons">
            <Button variant="primary" submit busy={save.busy}>
              {persona ? 'Save a new version' : 'Save persona'}
            </Button>
            <Button onClick={onClose}>Close</Button>
            {persona && <DeleteButton persona={persona} onDeleted={onDeleted} />}
          </div>
        </form>
      )}
      {persona && (
        <Versions
          id={persona.id}
          newest={newest}
          onRestored={() => {
            setNewest(newest + 1)
            onSaved()
          }}
        />
      )}
    </section>
  )
}

/** Asks once more before it deletes: the versions go too. */
function DeleteButton({ persona, onDeleted }: { persona: Persona; onDeleted: (left: Persona[]) => void }) {
  const [sure, setSure] = useState(false)
  const remove = useAction(async () => onDeleted((await berth.deletePersona({ id: persona.id })).personas))
  return (
    <>
      <Button
        variant={sure ? 'danger' : 'plain'}
        busy={remove.busy}
        onClick={() => (sure ? remove.run() : setSure(true))}
      >
        {sure ? 'Delete it with all its versions' : 'Delete'}
      </Button>
      <span className="field-problem" role="alert">
        {remove.problem}
      </span>
    </>
  )
}
