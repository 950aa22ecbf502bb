import { useState } from 'react'
import { maxIdCharacters, personaIdFor } from '../../domain/catalogue/persona-id.ts'
import { maxFileCharacters, maxFiles } from '../../domain/catalogue/persona-limits.ts'
import { Button } from '../components/button.tsx'
import { Problem } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { showCount } from '../format.ts'
import { catalogueTexts } from '../texts/catalogue.ts'
import type { PersonaDraft, PersonaFile } from './persona-draft.ts'

const words = catalogueTexts.editor

interface Props {
  /** Null for a new one, whose id may be chosen. */
  id: string | null
  draft: PersonaDraft
  taken: readonly string[]
  details: Record<string, string[]>
  onChange: (to: Partial<PersonaDraft>) => void
}

/** Fields never cut pasted text: a message says when it is too long. */
export function PersonaFields({ id, draft, taken, details, onChange }: Props) {
  const setText = (path: string, text: string) =>
    onChange({ files: draft.files.map((file) => (file.path === path ? { path, text } : file)) })
  return (
    <>
      <div className="fields">
        <div className="field">
          <label htmlFor="persona-name">{words.name}</label>
          <input
            id="persona-name"
            required
            autoComplete="off"
            dir="auto"
            value={draft.name}
            aria-describedby="persona-name-problem"
            onChange={({ target }) => onChange({ name: target.value })}
          />
          <p id="persona-name-problem" className="field-problem">
            {details.name?.join(' ')}
          </p>
        </div>
        <div className="field">
          <label htmlFor="persona-id">{words.id}</label>
          <input
            id="persona-id"
            autoComplete="off"
            disabled={id !== null}
            maxLength={maxIdCharacters}
            pattern="[a-z0-9]+(-[a-z0-9]+)*"
            title={words.idPattern}
            placeholder={personaIdFor(draft.name, taken)}
            value={id ?? draft.id}
            aria-describedby="persona-id-hint"
            onChange={({ target }) => onChange({ id: target.value })}
          />
          <p id="persona-id-hint" className="hint">
            {id === null ? words.idHint : words.idStays}
          </p>
        </div>
      </div>
      <TextField
        label={words.about}
        autoComplete="off"
        dir="auto"
        value={draft.description}
        onText={(text) => onChange({ description: text })}
      />
      {draft.files.map((file) => (
        <FileField key={file.path} file={file} onText={(text) => setText(file.path, text)} />
      ))}
      {draft.files.length < maxFiles && (
        <NewFile
          taken={draft.files.map(({ path }) => path)}
          onAdd={(path) => onChange({ files: [...draft.files, { path, text: '' }] })}
        />
      )}
    </>
  )
}

function FileField({ file: { path, text }, onText }: { file: PersonaFile; onText: (text: string) => void }) {
  const over = text.length - maxFileCharacters
  return (
    <div className="field">
      <label htmlFor={`persona-${path}`}>
        {path} <span className="muted">{words.characters(showCount(text.length), showCount(maxFileCharacters))}</span>
      </label>
      <textarea
        id={`persona-${path}`}
        className="persona-text"
        rows={14}
        dir="auto"
        value={text}
        aria-invalid={over > 0}
        onChange={({ target }) => onText(target.value)}
      />
      {over > 0 && <Problem text={words.tooLong(showCount(over))} />}
    </div>
  )
}

/** A file that stays empty is not saved. */
function NewFile({ taken, onAdd }: { taken: readonly string[]; onAdd: (path: string) => void }) {
  const [path, setPath] = useState<string | null>(null)
  if (path === null) return <Button onClick={() => setPath('')}>{words.addFile}</Button>
  const isGood = /^[\w-]{1,60}\.md$/.test(path) && !taken.includes(path)
  return (
    <div className="inline-form">
      <TextField label={words.fileName} autoComplete="off" placeholder="STYLE.md" value={path} onText={setPath} />
      <Button
        disabled={!isGood}
        onClick={() => {
          onAdd(path)
          setPath(null)
        }}
      >
        {words.addFile}
      </Button>
    </div>
  )
}
